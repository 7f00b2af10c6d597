#!/bin/sh
# Makes a folder with the kernels for arm64 and a Python that runs them on another processor, by qemu-aarch64: Debian's
# packages and wheels from PyPI, unpacked there and installed nowhere. usage: arm64.sh FOLDER PYTHON
set -eu
folder=$(realpath -m "$1") python=$2
command -v qemu-aarch64 > /dev/null || { echo "qemu-aarch64 is not there: apt-get install qemu-user" >&2; exit 1; }
"$python" dali_studio/kernels/build.py --target linux-aarch64 --output "$folder/kernels"
[ ! -x "$folder/python" ] || exit 0
rm -rf "$folder/apt" "$folder/root" && mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/root"
: > "$folder/apt/status"
apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$folder/apt/lists" \
    -o Dir::Cache="$folder/apt" -o Dir::State::Status="$folder/apt/status" -o Debug::NoLocking=1 \
    -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update
apt install --yes --no-install-recommends --download-only python3-minimal libpython3-stdlib libstdc++6
for package in "$folder"/apt/archives/*.deb; do dpkg-deb --extract "$package" "$folder/root"; done
interpreter=$(basename "$(readlink -f "$folder/root/usr/bin/python3")")
"$python" -m pip install --quiet --no-deps --target "$folder/packages" --only-binary :all: --implementation cp \
  --python-version "${interpreter#python}" --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 \
  --platform manylinux2014_aarch64 numpy pillow simplejpeg msgspec pytest pluggy iniconfig packaging pygments
cat > "$folder/python" << END
#!/bin/sh
export PYTHONPATH="$PWD:$folder/packages" PYTHONDONTWRITEBYTECODE=1 DALI_STUDIO_KERNELS="$folder/kernels"
exec qemu-aarch64 -L "$folder/root" "$folder/root/usr/bin/$interpreter" "\$@"
END
chmod +x "$folder/python"
