"""The main job: handwritten digits classified while they are encrypted.

`python -m fhelium.demo` trains a small network, and plays a client, who owns
images and the secret key, and a server, who owns the network, in two processes.
"""
