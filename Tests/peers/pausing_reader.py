"""Copies a named pipe to a file, and reads nothing for two of every ten seconds: pausing_reader.py PIPE FILE"""

import sys
import time

with open(sys.argv[1], "rb", buffering=0) as pipe, open(sys.argv[2], "wb") as file:
    pause = time.monotonic() + 8
    while data := pipe.read(1 << 16):
        file.write(data)
        if time.monotonic() > pause:
            time.sleep(2)
            pause = time.monotonic() + 8
