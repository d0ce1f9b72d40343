// The functions of libraries that are loaded at the first call of one of their functions; Libraries.c loads them.
//
// The linker finds these functions here instead of in their libraries. Each jumps to the address in its entry. At first, that is
// the address of `resolve`, which replaces it by the address of the library's function, and jumps there with the same arguments.
// A function that is called but not listed at the end of this file is an error of the linker. The functions are hidden, so that
// the libraries do not call them instead of their own.
#ifdef __linux__

.macro functions library, names:vararg
.irp name, \names
    .hidden \name
    .globl \name
    .type \name, %function
    .p2align 4
\name:
#if defined(__x86_64__)
    leaq .Lentry_\name(%rip), %r11
    jmpq *(%r11)
#elif defined(__aarch64__)
    adrp x17, .Lentry_\name
    add x17, x17, :lo12:.Lentry_\name
    ldr x16, [x17]
    br x16
#else
#error "Write this function and `resolve` for the processor, or link the libraries, as Package.swift does on macOS"
#endif
    .size \name, . - \name
    .pushsection .data.rel, "aw"
    .p2align 3
.Lentry_\name:
    .quad .Lresolve, .Lname_\name, deferred_\library
    .section .rodata
.Lname_\name:
    .asciz "\name"
    .popsection
.endr
.endm

    .text
    .type .Lresolve, %function
.Lresolve:
#if defined(__x86_64__)
    // The arguments: six numbers, eight vectors, and in al the number of vectors if the function is variadic.
    pushq %rbp
    movq %rsp, %rbp
    .irp register, rax, rdi, rsi, rdx, rcx, r8, r9
    pushq %\register
    .endr
    subq $136, %rsp
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups %xmm\number, 16*\number(%rsp)
    .endr
    movq %r11, %rdi
    callq deferred_address
    movq %rax, %r11
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups 16*\number(%rsp), %xmm\number
    .endr
    addq $136, %rsp
    .irp register, r9, r8, rcx, rdx, rsi, rdi, rax, rbp
    popq %\register
    .endr
    jmpq *%r11
#elif defined(__aarch64__)
    // The arguments: eight numbers, the address of a returned structure, and eight vectors.
    stp x29, x30, [sp, #-224]!
    mov x29, sp
    str x8, [sp, #80]
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    str x\number, [sp, #16+8*\number]
    str q\number, [sp, #96+16*\number]
    .endr
    mov x0, x17
    bl deferred_address
    mov x16, x0
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    ldr x\number, [sp, #16+8*\number]
    ldr q\number, [sp, #96+16*\number]
    .endr
    ldr x8, [sp, #80]
    ldp x29, x30, [sp], #224
    br x16
#endif
    .size .Lresolve, . - .Lresolve

functions cairo cairo_arc, cairo_arc_negative, cairo_close_path, cairo_create, cairo_destroy, cairo_fill
functions cairo cairo_format_stride_for_width, cairo_identity_matrix, cairo_image_surface_create
functions cairo cairo_image_surface_create_for_data, cairo_line_to, cairo_mask_surface, cairo_move_to, cairo_new_path
functions cairo cairo_new_sub_path, cairo_paint, cairo_restore, cairo_save, cairo_scale, cairo_select_font_face
functions cairo cairo_set_font_size, cairo_set_line_cap, cairo_set_line_join, cairo_set_line_width, cairo_set_source_rgba
functions cairo cairo_show_text, cairo_status, cairo_status_to_string, cairo_stroke, cairo_surface_destroy
functions cairo cairo_surface_finish, cairo_surface_status, cairo_surface_write_to_png_stream, cairo_text_extents
functions cairo cairo_version_string
functions rdkafka rd_kafka_abort_transaction, rd_kafka_assign, rd_kafka_assignment_lost, rd_kafka_begin_transaction
functions rdkafka rd_kafka_commit, rd_kafka_commit_transaction, rd_kafka_committed, rd_kafka_conf_destroy, rd_kafka_conf_dump
functions rdkafka rd_kafka_conf_dump_free, rd_kafka_conf_get, rd_kafka_conf_new, rd_kafka_conf_set, rd_kafka_conf_set_dr_msg_cb
functions rdkafka rd_kafka_conf_set_error_cb, rd_kafka_conf_set_log_cb, rd_kafka_conf_set_opaque
functions rdkafka rd_kafka_conf_set_rebalance_cb, rd_kafka_consumer_close, rd_kafka_consumer_group_metadata
functions rdkafka rd_kafka_consumer_group_metadata_destroy, rd_kafka_consumer_poll, rd_kafka_destroy, rd_kafka_err2str
functions rdkafka rd_kafka_error_code, rd_kafka_error_destroy, rd_kafka_error_is_fatal, rd_kafka_error_is_retriable
functions rdkafka rd_kafka_error_string, rd_kafka_flush, rd_kafka_get_watermark_offsets, rd_kafka_header_add
functions rdkafka rd_kafka_header_get_last, rd_kafka_headers_destroy, rd_kafka_headers_new, rd_kafka_incremental_assign
functions rdkafka rd_kafka_incremental_unassign, rd_kafka_init_transactions, rd_kafka_last_error, rd_kafka_message_destroy
functions rdkafka rd_kafka_message_errstr, rd_kafka_message_headers, rd_kafka_message_timestamp, rd_kafka_metadata
functions rdkafka rd_kafka_metadata_destroy, rd_kafka_new, rd_kafka_opaque, rd_kafka_outq_len, rd_kafka_poll
functions rdkafka rd_kafka_poll_set_consumer, rd_kafka_producev, rd_kafka_purge, rd_kafka_query_watermark_offsets
functions rdkafka rd_kafka_rebalance_protocol, rd_kafka_send_offsets_to_transaction, rd_kafka_subscribe
functions rdkafka rd_kafka_topic_destroy, rd_kafka_topic_name, rd_kafka_topic_new, rd_kafka_topic_partition_list_add
functions rdkafka rd_kafka_topic_partition_list_copy, rd_kafka_topic_partition_list_destroy, rd_kafka_topic_partition_list_new
functions rdkafka rd_kafka_version_str
functions websockets lws_add_http_header_by_name, lws_add_http_header_content_length, lws_add_http_header_status
functions websockets lws_callback_on_writable, lws_cancel_service, lws_close_reason, lws_context_destroy, lws_context_user
functions websockets lws_create_context, lws_finalize_write_http_header, lws_frame_is_binary, lws_get_context
functions websockets lws_get_library_version, lws_get_vhost_by_name, lws_get_vhost_listen_port, lws_hdr_copy
functions websockets lws_hdr_copy_fragment, lws_hdr_custom_copy, lws_hdr_custom_length, lws_hdr_fragment_length
functions websockets lws_hdr_total_length, lws_http_transaction_completed, lws_is_final_fragment, lws_remaining_packet_payload
functions websockets lws_return_http_status, lws_service, lws_set_log_level, lws_set_timeout, lws_sul_schedule, lws_write
functions zmq zmq_bind, zmq_close, zmq_connect, zmq_ctx_new, zmq_ctx_set, zmq_ctx_term, zmq_curve_keypair, zmq_curve_public
functions zmq zmq_disconnect, zmq_errno, zmq_getsockopt, zmq_has, zmq_msg_close, zmq_msg_data, zmq_msg_get, zmq_msg_init
functions zmq zmq_msg_init_data, zmq_msg_more, zmq_msg_move, zmq_msg_recv, zmq_msg_send, zmq_msg_size, zmq_poll, zmq_recv
functions zmq zmq_send, zmq_setsockopt, zmq_socket, zmq_socket_monitor, zmq_strerror, zmq_unbind, zmq_version, zmq_z85_decode
functions zmq zmq_z85_encode

    .section .note.GNU-stack, "", %progbits
#endif
