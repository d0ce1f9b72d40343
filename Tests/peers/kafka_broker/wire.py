"""The types of the protocol, read and written.

The newer ("flexible") versions of a request write each length plus one as a varint, and end each structure with tagged fields,
which `end` reads or writes.
"""

import struct

I8, I16, I32, I64 = (struct.Struct(code) for code in (">b", ">h", ">i", ">q"))


class Reader:
    """Reads a request. Raises `struct.error` or `ValueError` where it is cut off."""

    def __init__(self, data, at=0, flexible=False):
        self.data, self.at, self.flexible = memoryview(data), at, flexible

    def _number(self, kind):
        number, = kind.unpack_from(self.data, self.at)
        self.at += kind.size
        return number

    def i8(self):
        return self._number(I8)

    def i16(self):
        return self._number(I16)

    def i32(self):
        return self._number(I32)

    def i64(self):
        return self._number(I64)

    def varint(self):
        number, shift = 0, 0
        while True:
            byte = self.i8()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte >= 0:
                return number

    def _length(self, kind):
        return self.varint() - 1 if self.flexible else self._number(kind)

    def _take(self, length):
        """Returns the next bytes; None for the negative length of a null."""
        if length < 0:
            return None
        taken = self.data[self.at:self.at + length]
        if len(taken) != length:
            raise ValueError("a request is cut off")
        self.at += length
        return taken

    def string(self):
        taken = self._take(self._length(I16))
        return None if taken is None else str(taken, "utf-8")

    def bytes(self):
        taken = self._take(self._length(I32))
        return None if taken is None else bytes(taken)

    def array(self, element):
        """Returns a list of what `element()` reads; None for a null."""
        count = self._length(I32)
        return None if count < 0 else [element() for _ in range(count)]

    def end(self, value=None):
        """Skips the tagged fields at the end of a structure, and returns `value`."""
        if self.flexible:
            for _ in range(self.varint()):
                self.varint()
                self._take(self.varint())
        return value


class Writer:
    """Writes an answer. All methods return the writer."""

    def __init__(self, flexible=False):
        self.data, self.flexible = bytearray(), flexible

    def i8(self, number):
        self.data += I8.pack(number)
        return self

    def i16(self, number):
        self.data += I16.pack(number)
        return self

    def i32(self, number):
        self.data += I32.pack(number)
        return self

    def i64(self, number):
        self.data += I64.pack(number)
        return self

    def varint(self, number):
        while number > 0x7F:
            self.data.append(number & 0x7F | 0x80)
            number >>= 7
        self.data.append(number)
        return self

    def _length(self, kind, length):
        if self.flexible:
            self.varint(length + 1)
        else:
            self.data += kind.pack(length)

    def string(self, text):
        encoded = None if text is None else text.encode()
        self._length(I16, -1 if encoded is None else len(encoded))
        self.data += encoded or b""
        return self

    def bytes(self, data):
        self._length(I32, -1 if data is None else len(data))
        self.data += data or b""
        return self

    def array(self, items, element):
        """Writes each item with `element(item)`, or a null for None."""
        self._length(I32, -1 if items is None else len(items))
        for item in items or ():
            element(item)
        return self

    def end(self):
        if self.flexible:
            self.data.append(0)
        return self
