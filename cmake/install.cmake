# Installation of the library, its headers, CMake package and pkg-config file.
