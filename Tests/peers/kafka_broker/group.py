"""A consumer group: its members and generations, and its offsets."""

import asyncio
import uuid
from collections import namedtuple

from . import errors

EMPTY, PREPARING, COMPLETING, STABLE = "empty", "preparing", "completing", "stable"
LARGEST_METADATA = 4096

# The answer to a member that has joined. Only the leader gets `members`: pairs of a member and the metadata that it sent.
Joined = namedtuple("Joined", "error generation protocol leader member members")
# A committed offset.
Committed = namedtuple("Committed", "offset metadata")
NOTHING = Committed(-1, "")


class Member:
    def __init__(self, name):
        self.name = name
        self.session = self.rebalance = 0.0
        self.protocols = {}  # what the member sent for each way of assigning partitions; the preferred one first
        self.deadline = 0.0
        self.joining = self.syncing = None  # the answers that it waits for
        self.assignment = b""

    def alive(self, now):
        """A member that waits for an answer is alive. Any other member must have been heard within its session timeout."""
        return self.joining or self.syncing or now < self.deadline

    def heard(self, now):
        self.deadline = now + self.session

    def answer_join(self, joined):
        self.joining = answer(self.joining, joined)

    def answer_sync(self, error, assignment=b""):
        self.syncing = answer(self.syncing, (error, assignment))


def answer(future, result):
    if future and not future.done():
        future.set_result(result)


class Group:
    def __init__(self, clock):
        self.clock = clock
        self.state, self.generation, self.kind, self.protocol, self.leader = EMPTY, 0, "", "", ""
        self.members = {}
        self.reserved = {}  # name that was given out and not yet used → time until which it is kept
        self.started = self.deadline = 0.0  # the start of a rebalance, and when it goes on without missing members
        self.offsets = {}  # (topic, partition) → Committed
        self.pending = {}  # producer → offsets of its open transaction

    # Members

    async def join(self, name, client, session, rebalance, kind, protocols, reserve):
        """Lets a member join, or join again. Returns when all members have joined. With `reserve`, a new member first gets only a
        name, with which it has to join again."""
        others = [member for member in self.members.values() if member.name != name]
        if others and (kind != self.kind or not any(all(each in member.protocols for member in others) for each in protocols)):
            return self.refused(errors.INCONSISTENT_GROUP_PROTOCOL, name)
        if not name:
            name = f"{client}-{uuid.uuid4()}"
            if reserve:
                self.reserved[name] = self.clock() + session
                return self.refused(errors.MEMBER_ID_REQUIRED, name)
        elif self.reserved.pop(name, None) is None and name not in self.members:
            return self.refused(errors.UNKNOWN_MEMBER_ID, name)
        member = self.members.get(name)
        if member:
            same = member.protocols == protocols
            if same and (self.state == COMPLETING or self.state == STABLE and name != self.leader):
                member.heard(self.clock())
                return self._joined(member)
            member.answer_join(self.refused(errors.UNKNOWN_MEMBER_ID, name))
        else:
            member = self.members[name] = Member(name)
        member.session, member.rebalance, member.protocols = session, rebalance, protocols
        self.kind = kind
        member.joining = waiting = asyncio.get_running_loop().create_future()
        if self.state == PREPARING:
            self.deadline = max(self.deadline, self.started + rebalance)
            self._complete_if_all_joined()
        else:
            self._prepare()
        return await waiting

    def refused(self, error, name):
        return Joined(error, -1, "", "", name, [])

    def _joined(self, member):
        members = [(each.name, each.protocols[self.protocol]) for each in self.members.values()]
        return Joined(
            errors.NONE, self.generation, self.protocol, self.leader, member.name, members if member.name == self.leader else [])

    def _prepare(self):
        """Begins a rebalance: all members must join again."""
        self.state = PREPARING
        self.started = self.clock()
        self.deadline = self.started + max((member.rebalance for member in self.members.values()), default=0)
        for member in self.members.values():
            if member.syncing:
                member.heard(self.clock())
                member.answer_sync(errors.REBALANCE_IN_PROGRESS)
        self._complete_if_all_joined()

    def _complete_if_all_joined(self):
        if not self.reserved and all(member.joining for member in self.members.values()):
            self._complete()

    def _complete(self):
        """Begins the next generation, without the members that did not join in time."""
        self.members = {name: member for name, member in self.members.items() if member.joining}
        self.generation += 1
        if not self.members:
            self.state, self.protocol, self.leader = EMPTY, "", ""
            return
        if self.leader not in self.members:
            self.leader = next(iter(self.members))
        self.protocol = self._elected()
        self.state = COMPLETING
        self.deadline = self.clock() + max(member.rebalance for member in self.members.values())
        for member in self.members.values():
            member.assignment = b""
            member.heard(self.clock())
            member.answer_join(self._joined(member))

    def _elected(self):
        """Returns the assignment protocol that most members prefer among those that all members know."""
        members = list(self.members.values())
        known = [each for each in members[0].protocols if all(each in member.protocols for member in members)]
        votes = [next(each for each in member.protocols if each in known) for member in members]
        return max(known, key=votes.count)

    async def sync(self, name, generation, assignments):
        """A member asks for its partitions. The leader also brings the assignments of all. Returns an error and the assignment."""
        error = self._check(name, generation)
        if error or self.state == PREPARING:
            return error or errors.REBALANCE_IN_PROGRESS, b""
        member = self.members[name]
        member.heard(self.clock())
        if self.state == STABLE:
            return errors.NONE, member.assignment
        member.answer_sync(errors.UNKNOWN_MEMBER_ID)
        member.syncing = waiting = asyncio.get_running_loop().create_future()
        if name == self.leader:
            self.state = STABLE
            for each in self.members.values():
                each.assignment = assignments.get(each.name, b"")
                each.heard(self.clock())
                each.answer_sync(errors.NONE, each.assignment)
        return await waiting

    def heartbeat(self, name, generation):
        error = self._check(name, generation)
        if not error:
            self.members[name].heard(self.clock())
        return error or (errors.REBALANCE_IN_PROGRESS if self.state == PREPARING else errors.NONE)

    def leave(self, name):
        if self.reserved.pop(name, None) is not None:
            if self.state == PREPARING:
                self._complete_if_all_joined()
            return errors.NONE
        if name not in self.members:
            return errors.UNKNOWN_MEMBER_ID
        self._remove([name])
        return errors.NONE

    def _remove(self, names):
        for name in names:
            member = self.members.pop(name)
            member.answer_join(self.refused(errors.UNKNOWN_MEMBER_ID, name))
            member.answer_sync(errors.UNKNOWN_MEMBER_ID)
        if names and self.state == PREPARING:
            self._complete_if_all_joined()
        elif names:
            self._prepare()

    def _check(self, name, generation):
        if name not in self.members:
            return errors.UNKNOWN_MEMBER_ID
        return errors.NONE if generation == self.generation else errors.ILLEGAL_GENERATION

    def tick(self, now):
        """Removes members that were not heard in time, and ends a rebalance that lasts too long."""
        expired = [name for name, until in self.reserved.items() if until <= now]
        for name in expired:
            del self.reserved[name]
        self._remove([member.name for member in self.members.values() if not member.alive(now)])
        if self.state == PREPARING:
            if now >= self.deadline:
                self.reserved.clear()
                self._complete()
            elif expired:
                self._complete_if_all_joined()
        elif self.state == COMPLETING and now >= self.deadline:
            self._remove([member.name for member in self.members.values() if not member.syncing])

    def resume(self, now):
        """Restarts the session timeouts of all members, after their coordinator was down. Reserved names expire."""
        for member in self.members.values():
            member.heard(now)
        self.reserved = dict.fromkeys(self.reserved, now)

    # Offsets

    def commit_error(self, name, generation):
        """Returns why offsets may not be committed. Members of this generation may commit, except while the leader assigns the
        partitions. While the group has no members, a commit must not name a generation."""
        if generation < 0 and not self.members:
            return errors.NONE
        if not self.members:
            return errors.ILLEGAL_GENERATION
        error = self._check(name, generation)
        if not error:
            self.members[name].heard(self.clock())
        return error or (errors.REBALANCE_IN_PROGRESS if self.state == COMPLETING else errors.NONE)

    def transaction_error(self, name, generation):
        """Returns why offsets may not be committed in a transaction. Members of this generation may commit, and so may a producer
        that names no member."""
        return errors.NONE if generation < 0 and not name else self._check(name, generation)

    def committed(self, key):
        return self.offsets.get(key, NOTHING)

    def is_pending(self, key):
        return any(key in offsets for offsets in self.pending.values())

    def end_transaction(self, producer, committed):
        offsets = self.pending.pop(producer, {})
        if committed:
            self.offsets.update(offsets)
