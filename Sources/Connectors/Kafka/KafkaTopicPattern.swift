#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A name of topics that begins with `^`: an extended regular expression as in POSIX, which librdkafka compiles with the same
/// function.
enum KafkaTopicPattern {
    /// Returns why a pattern is not a regular expression, or `nil` if it is one.
    static func problem(of pattern: String) -> String? {
        var compiled = regex_t()
        let code = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB)
        guard code != 0 else {
            regfree(&compiled)
            return nil
        }
        var text = [CChar](repeating: 0, count: 256)
        regerror(code, &compiled, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
