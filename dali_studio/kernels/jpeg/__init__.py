"""JPEG on both devices: headers, libjpeg and the threads that call it, nvJPEG, and kernels of the GPU."""
