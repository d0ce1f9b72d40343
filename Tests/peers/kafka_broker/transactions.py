"""The transaction coordinator: who may write under a transactional id, and what its open transaction holds."""

from . import errors
from .log import ABORT, COMMIT

LONGEST = 15 * 60.0
LAST_EPOCH = 32766


class Transaction:
    """The state of one transactional id. `outcome` is how the last transaction ended. It is None while a transaction is open, and
    until the first transaction of a producer that has started, or started again, ends."""

    def __init__(self, producer):
        self.producer, self.epoch, self.previous = producer, -1, None
        self.timeout = self.deadline = 0.0
        self.open, self.outcome = False, None
        self.partitions, self.groups = set(), set()

    def begin(self, now):
        if not self.open:
            self.open, self.outcome, self.deadline = True, None, now + self.timeout


class Transactions:
    """All transactional ids. `log(topic, index)` and `group(name)` return the partition or group that a transaction changes."""

    def __init__(self, clock, log, group):
        self.clock, self.log, self.group = clock, log, group
        self.by_id, self.by_producer = {}, {}
        self.next_producer = 1000

    def new_producer(self):
        self.next_producer += 1
        return self.next_producer

    def begin_producer(self, name, timeout, producer, epoch):
        """A producer starts, or starts again with its former producer id and epoch. Aborts the open transaction and fences older
        producers of this name. Returns an error, a producer id and an epoch."""
        if name is None:
            return errors.NONE, self.new_producer(), 0
        if not 0 < timeout <= LONGEST:
            return errors.INVALID_TRANSACTION_TIMEOUT, -1, -1
        state = self.by_id.get(name)
        if producer >= 0:
            if not state or producer != state.producer or epoch not in (state.epoch, state.previous):
                return errors.PRODUCER_FENCED, -1, -1
            if epoch != state.epoch:
                # The producer repeats its request, or its transaction timed out: the epoch is already a new one.
                return errors.NONE, state.producer, state.epoch
        if not state:
            state = self.by_id[name] = Transaction(self.new_producer())
            self.by_producer[state.producer] = state
        state.timeout = timeout
        state.epoch += 1
        self._end(state, ABORT)
        state.outcome, state.previous = None, epoch if producer >= 0 else None
        if state.epoch > LAST_EPOCH:
            state.producer, state.epoch, state.previous = self.new_producer(), 0, None
            self.by_producer[state.producer] = state
        return errors.NONE, state.producer, state.epoch

    def _find(self, name, producer, epoch):
        state = self.by_id.get(name)
        if not state or state.producer != producer:
            return errors.INVALID_PRODUCER_ID_MAPPING, None
        return (errors.NONE if epoch == state.epoch else errors.INVALID_PRODUCER_EPOCH), state

    def add(self, name, producer, epoch, partitions=(), groups=()):
        """Adds partitions, as (topic, index), and groups to the transaction. The first addition begins it."""
        error, state = self._find(name, producer, epoch)
        if not error:
            state.begin(self.clock())
            state.partitions.update(partitions)
            state.groups.update(groups)
        return error

    def verify(self, producer, epoch, partition):
        """Returns why a producer may not write to a partition in a transaction."""
        state = self.by_producer.get(producer)
        if not state or state.producer != producer:
            return errors.INVALID_PRODUCER_ID_MAPPING
        if epoch != state.epoch:
            return errors.INVALID_PRODUCER_EPOCH
        return errors.NONE if state.open and partition in state.partitions else errors.INVALID_TXN_STATE

    def verify_group(self, name, producer, epoch, group):
        """Returns why a producer may not commit offsets of a group in a transaction."""
        error, state = self._find(name, producer, epoch)
        if error:
            return error
        return errors.NONE if state.open and group in state.groups else errors.INVALID_TXN_STATE

    def end(self, name, producer, epoch, outcome):
        error, state = self._find(name, producer, epoch)
        if error:
            return error
        if not state.open:
            # The producer repeats its request because the answer was lost.
            return errors.NONE if state.outcome == outcome else errors.INVALID_TXN_STATE
        self._end(state, outcome)
        return errors.NONE

    def _end(self, state, outcome):
        """Writes the markers, and commits or discards the offsets."""
        if not state.open:
            return
        for topic, index in sorted(state.partitions):
            self.log(topic, index).mark(state.producer, state.epoch, outcome)
        for group in sorted(state.groups):
            self.group(group).end_transaction(state.producer, outcome == COMMIT)
        state.open, state.outcome = False, outcome
        state.partitions.clear()
        state.groups.clear()

    def tick(self, now, reachable):
        """Aborts transactions that take too long, and fences their producers. `reachable(name)`: whether the coordinator is up."""
        for name, state in self.by_id.items():
            if state.open and now >= state.deadline and reachable(name):
                state.previous = state.epoch
                state.epoch += 1
                self._end(state, ABORT)
