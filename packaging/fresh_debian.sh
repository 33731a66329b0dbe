#!/bin/sh
# Installs each package of `cargo xtask dist` in a Debian that has neither Rust nor a C compiler, as its users will, and uses it: the demo, and a
# first recall. Prints the seconds and the size of each. Needs root, debootstrap and the network.
#
# usage: fresh_debian.sh FOLDER_OF_PACKAGES NEW_FOLDER [SUITE]
set -eu
packages=$(realpath "$1") root=$2 suite=${3:-bookworm}
here=$(dirname "$(realpath "$0")")
fact="The spare key hangs in the boat house."

if [ ! -e "$root/etc/debian_version" ]; then
    debootstrap --variant=minbase "$suite" "$root" > "$root.log"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    chroot "$root" apt-get -qq update >> "$root.log"
    chroot "$root" apt-get -qq install --yes --no-install-recommends python3-venv nodejs npm ca-certificates >> "$root.log"
fi
if chroot "$root" sh -c 'command -v rustc cargo gcc cc' > /dev/null; then
    echo "the folder has a compiler" >&2
    exit 1
fi
mount -t proc proc "$root/proc"
wheels=$(mktemp -d)
python3 -m pip download --quiet --dest "$wheels" --python-version 3.11 --only-binary :all: httpx
mkfifo "$wheels/end"
python3 "$here/local_index.py" "$packages" "$wheels" < "$wheels/end" > "$wheels/url" &
exec 9> "$wheels/end"
trap 'exec 9>&-; umount "$root/proc"; rm -r "$wheels"' EXIT
while [ ! -s "$wheels/url" ]; do sleep 0.1; done
url=$(cat "$wheels/url")

inside() { chroot "$root" env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root USER=ada LANG=C.UTF-8 sh -euc "$1"; }
# Without the lists and archives of apt: it throws those of Debian's mirror away when it is given another one.
used() { du --summarize --bytes --exclude "$root/proc" --exclude "$root/var/lib/apt" --exclude "$root/var/cache/apt" "$root" | cut -f1; }
# usage: shown NAME INSTALL PROGRAM
shown() {
    before=$(used) begun=$(date +%s.%N)
    inside "$2" > /dev/null
    installed=$(date +%s.%N)
    inside "$3 demo" > "$wheels/demo"
    grep -q "it is in none of them" "$wheels/demo"
    shown_at=$(date +%s.%N)
    inside "export LACUNA_DATA=/root/$1; $3 remember '$fact'; $3 recall 'how do we get in without ours?'" | grep -q "boat house"
    recalled=$(date +%s.%N)
    awk -v name="$1" -v a="$begun" -v b="$installed" -v c="$shown_at" -v d="$recalled" -v size="$(($(used) - before))" \
        'BEGIN { printf "%-6s installed in %.1f s, demo %.1f s, remember and recall %.1f s, %.1f MiB on disk\n", name, b-a, c-b, d-c, size/1048576 }'
}

shown wheel "python3 -m venv /opt/lacuna && /opt/lacuna/bin/pip install --quiet --no-cache-dir --index-url $url/simple lacuna-memory" \
    /opt/lacuna/bin/lacuna-memory
shown npm "mkdir -p /opt/node && cd /opt/node && echo '{}' > package.json && npm install --silent --no-audit --no-fund --cache /tmp/npm --registry $url/npm lacuna-memory && rm -r /tmp/npm" \
    "npx --prefix /opt/node --offline lacuna-memory"
# Only this mirror: the package needs nothing that a Debian does not have.
echo "deb [trusted=yes] $url/debian ./" > "$root/root/lacuna.list"
apt="apt-get -qq -o Dir::Etc::sourcelist=/root/lacuna.list -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root"
shown deb "$apt update && $apt install --yes --no-install-recommends lacuna" lacuna
