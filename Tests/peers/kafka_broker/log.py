"""The log of one partition: its batches, the state of its producers, and its transactions."""

import struct
import time
from bisect import bisect_left, bisect_right
from collections import deque

from . import errors

# Base offset, length, leader epoch, magic, checksum, attributes, last offset delta, first and last timestamp, producer id,
# producer epoch, base sequence, count of records.
HEADER = struct.Struct(">qiibIhiqqqhii")
TRANSACTIONAL, CONTROL = 0x10, 0x20
ABORT, COMMIT = 0, 1
SEQUENCES = 1 << 31


class Producer:
    """What a partition knows about a producer: its epoch, and its last batches, from which a repeated batch is recognized."""

    def __init__(self, epoch):
        self.epoch = epoch
        self.recent = deque(maxlen=5)  # (first sequence, last sequence, base offset)

    def check(self, epoch, first, last):
        """Returns an error and, for a repeated batch, the offset at which it is already stored."""
        if epoch < self.epoch:
            return errors.INVALID_PRODUCER_EPOCH, -1
        recent = self.recent if epoch == self.epoch else ()
        for begin, end, offset in recent:
            if (begin, end) == (first, last):
                return errors.NONE, offset
        expected = (recent[-1][1] + 1) % SEQUENCES if recent else 0
        if first == expected:
            return errors.NONE, -1
        return (errors.DUPLICATE_SEQUENCE if first < expected else errors.OUT_OF_ORDER_SEQUENCE), -1

    def note(self, epoch, first, last, offset):
        if epoch != self.epoch:
            self.epoch = epoch
            self.recent.clear()
        self.recent.append((first, last, offset))


class Partition:
    """One partition. `open` has the first offset of each transaction that has not ended; `aborted` has those that were aborted, as
    (producer, first offset, offset of the marker), in the order of their markers."""

    def __init__(self, leader):
        self.leader = leader
        self.batches, self.bases, self.stamps = [], [], []
        self.end = 0
        self.producers, self.open, self.aborted = {}, {}, []
        self.waiters = set()

    @property
    def stable(self):
        """The last stable offset: the first offset of the earliest transaction that has not ended."""
        return min(self.open.values(), default=self.end)

    def limit(self, committed):
        """The offset up to which a consumer reads."""
        return self.stable if committed else self.end

    def append(self, batch, verify, size_limit=None):
        """Appends the batch of a produce request. `verify(producer, epoch)` returns an error for a batch that belongs to no open
        transaction. Returns an error and the offset of the batch; for a repeated batch, the offset of the stored one."""
        if len(batch) < HEADER.size:
            return errors.CORRUPT_MESSAGE, -1
        _, length, _, magic, _, attributes, delta, _, stamp, producer, epoch, first, count = HEADER.unpack_from(batch)
        if magic != 2:
            return errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, -1
        if size_limit is not None and len(batch) > size_limit:
            return errors.MESSAGE_TOO_LARGE, -1
        if len(batch) < 12 + length:
            return errors.CORRUPT_MESSAGE, -1
        transactional = attributes & TRANSACTIONAL
        if attributes & CONTROL or count < 1 or delta != count - 1 or len(batch) > 12 + length or transactional and producer < 0:
            return errors.INVALID_RECORD, -1
        if producer >= 0:
            last = (first + count - 1) % SEQUENCES
            known = self.producers.get(producer) or Producer(epoch)
            error, offset = known.check(epoch, first, last)
            if error or offset >= 0:
                return error, offset
            error = verify(producer, epoch) if transactional else errors.NONE
            if error:
                return error, -1
            known.note(epoch, first, last, self.end)
            self.producers[producer] = known
            if transactional:
                self.open.setdefault(producer, self.end)
        offset = self.end
        self._store(batch, count, stamp)
        self.wake()
        return errors.NONE, offset

    def _store(self, batch, count, stamp):
        # Sets the offset, and the leader epoch to "unknown". The checksum covers neither, so it stays valid.
        self.batches.append(b"".join((struct.pack(">q", self.end), batch[8:12], b"\xff" * 4, batch[16:])))
        self.bases.append(self.end)
        self.stamps.append(max(stamp, self.stamps[-1] if self.stamps else stamp))
        self.end += count

    def mark(self, producer, epoch, outcome):
        """Ends the transaction of a producer: writes the marker that tells consumers how it ended. A marker of a newer epoch fences
        the older epoch."""
        known = self.producers.setdefault(producer, Producer(epoch))
        if epoch != known.epoch:
            known.epoch = epoch
            known.recent.clear()
        first = self.open.pop(producer, None)
        if first is not None and outcome == ABORT:
            self.aborted.append((producer, first, self.end))
        now = int(time.time() * 1000)
        self._store(_marker(producer, epoch, outcome, now), 1, now)
        self.wake()

    def fetch(self, offset, size, committed):
        """Returns the batches from the one that contains the offset on, as many as fit but at least one, and the aborted
        transactions among them."""
        limit = self.limit(committed)
        begin = max(bisect_right(self.bases, offset) - 1, 0)
        taken, total = [], 0
        for at in range(begin, len(self.batches)):
            if offset >= limit or self.bases[at] >= limit or taken and total + len(self.batches[at]) > size:
                break
            taken.append(self.batches[at])
            total += len(self.batches[at])
        return b"".join(taken), self._aborted(offset, begin + len(taken)) if committed else None

    def _aborted(self, offset, upto):
        """Returns the aborted transactions that have messages from the offset up to the batch with this index."""
        upper = self.bases[upto] if upto < len(self.bases) else self.end
        begin = bisect_left(self.aborted, offset, key=lambda each: each[2])
        return [(producer, first) for producer, first, _ in self.aborted[begin:] if first < upper]

    def at_time(self, stamp):
        """Returns the timestamp and offset of the first batch that has a message of this time or later; -1, -1 for none."""
        at = bisect_left(self.stamps, stamp)
        return (self.stamps[at], self.bases[at]) if at < len(self.bases) else (-1, -1)

    def wake(self):
        """Lets waiting fetch requests look again."""
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.waiters.clear()


def _marker(producer, epoch, outcome, now):
    key, value = struct.pack(">hh", 0, outcome), struct.pack(">hi", 0, 0)
    # Attributes, time and offset deltas, lengths and count of headers of the one record; its varints are zigzag.
    record = bytes([0, 0, 0, 2 * len(key)]) + key + bytes([2 * len(value)]) + value + b"\0"
    record = bytes([2 * len(record)]) + record
    rest = struct.pack(">hiqqqhii", TRANSACTIONAL | CONTROL, 0, now, now, producer, epoch, -1, 1) + record
    return struct.pack(">qiibI", 0, 9 + len(rest), 0, 2, crc32c(rest)) + rest


def crc32c(data):
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (0x82F63B78 if remainder & 1 else 0)
    return remainder ^ 0xFFFFFFFF
