// libsndfile, whose functions `audio_codec.py` finds, on files that lie in memory; and WAV files with whole numbers, which need no
// library.
#include <string.h>

#include "arguments.hpp"

// ----------------------------------------------------------------------------------------------------------- libsndfile

// Structures of libsndfile's interface, which it keeps stable.
struct VirtualFile {
  i64 (*length)(void*);
  i64 (*seek)(i64 offset, int origin, void*);
  i64 (*read)(void* to, i64 count, void*);
  i64 (*write)(const void* from, i64 count, void*);
  i64 (*tell)(void*);
};
struct Info {
  i64 frames;
  int rate, channels, format, sections, seekable;
};

// Addresses of its functions.
struct Library {
  void* (*open)(VirtualFile*, int mode, Info*, void* user);
  i64 (*read_short)(void*, i16*, i64 frames);
  i64 (*read_int)(void*, i32*, i64 frames);
  i64 (*read_float)(void*, f32*, i64 frames);
  i64 (*seek)(void*, i64 frames, int origin);
  int (*close)(void*);
};
enum { READ = 0x10 };

// An opened file: its bytes, and what the header says. It lies in an array of Python's, and does not move.
struct OpenedSound {
  const u8* data;
  i64 size, at;
  void* handle;
  i64 done;  // the frame that is read next
  i64 frames, rate, channels;
};
static const i64 FIELDS = sizeof(OpenedSound) / sizeof(i64);

static i64 length_of(void* user) { return ((OpenedSound*)user)->size; }
static i64 seek_in(i64 offset, int origin, void* user) {
  OpenedSound& file = *(OpenedSound*)user;
  const i64 base = origin == 1 ? file.at : origin == 2 ? file.size : 0;
  if (offset < -base || offset > file.size - base) return -1;
  return file.at = base + offset;
}
static i64 read_from(void* to, i64 count, void* user) {
  OpenedSound& file = *(OpenedSound*)user;
  const i64 there = between<i64>(count, 0, file.size - file.at);
  memcpy(to, file.data + file.at, there);
  file.at += there;
  return there;
}
static i64 write_nothing(const void*, i64, void*) { return 0; }
static i64 place_in(void* user) { return ((OpenedSound*)user)->at; }

static bool fit(const Dense<i64, 1>& state, const Dense<const i64, 1>& library) {
  return state.shape[0] == FIELDS && library.shape[0] * sizeof(i64) == sizeof(Library);
}

static bool open(OpenedSound& file, const u8* data, i64 size, const Library& library) {
  file = {data, size, 0, nullptr, 0, 0, 0, 0};
  VirtualFile functions = {length_of, seek_in, read_from, write_nothing, place_in};
  Info info = {};
  file.handle = library.open(&functions, READ, &info, &file);
  file.frames = info.frames, file.rate = info.rate, file.channels = info.channels;
  return file.handle != nullptr;
}
static void close(OpenedSound& file, const Library& library) {
  if (file.handle) library.close(file.handle);
  file.handle = nullptr;
}

// 1 where it is opened. The bytes must stay where they are until it is closed.
static i64 open_sound(Dense<const u8, 1> data, Dense<i64, 1> state, Dense<const i64, 1> library) {
  if (!fit(state, library)) return MISFIT;
  return open(*(OpenedSound*)state.data, data.data, data.shape[0], *(const Library*)library.data);
}
REGISTER(open_sound)

static bool fit(const Dense<i64, 2>& states, i64 files, const Dense<const i64, 1>& library) {
  return states.shape[0] == files && states.shape[1] == FIELDS && library.shape[0] * sizeof(i64) == sizeof(Library);
}
// Files by their addresses and bytes, until one cannot be opened; gives how many have been.
static i64 open_sounds(Array<const i64, 1> files, Array<const i64, 1> bytes, Dense<i64, 2> states, Dense<const i64, 1> library) {
  if (bytes.shape[0] != files.shape[0] || !fit(states, files.shape[0], library)) return MISFIT;
  for (i64 i = 0; i < files.shape[0]; i++)
    if (!open(*(OpenedSound*)&states(i, 0), (const u8*)(u64)files(i), bytes(i), *(const Library*)library.data)) return i;
  return files.shape[0];
}
REGISTER(open_sounds)

static i64 read_frames(const Library& library, void* file, i16* to, i64 count) { return library.read_short(file, to, count); }
static i64 read_frames(const Library& library, void* file, i32* to, i64 count) { return library.read_int(file, to, count); }
static i64 read_frames(const Library& library, void* file, f32* to, i64 count) { return library.read_float(file, to, count); }

// The frames from `first` on; returns how many there are.
template <class T> i64 read_sound(Dense<i64, 1> state, Dense<T, 2> out, i64 first, Dense<const i64, 1> library) {
  OpenedSound& file = *(OpenedSound*)state.data;
  if (!fit(state, library) || !file.handle || out.shape[1] != file.channels) return MISFIT;
  const Library& functions = *(const Library*)library.data;
  if (first != file.done && functions.seek(file.handle, first, 0) != first) return 0;
  const i64 count = read_frames(functions, file.handle, out.data, out.shape[0]);
  file.done = first + count;
  return count;
}
typedef Types<i16, i32, f32> SampleTypes;
REGISTER_EACH(read_sound, SampleTypes)

// All frames of opened files, to addresses; the files are closed then. Gives how many have as many frames as they say, before the first
// that has fewer.
template <class T> i64 read_sounds(Dense<i64, 2> states, Array<const i64, 1> out, Dense<const i64, 1> library) {
  if (!fit(states, out.shape[0], library)) return MISFIT;
  const Library& functions = *(const Library*)library.data;
  for (i64 i = 0; i < out.shape[0]; i++) {
    OpenedSound& file = *(OpenedSound*)&states(i, 0);
    if (!file.handle || file.done || read_frames(functions, file.handle, (T*)(u64)out(i), file.frames) != file.frames) return i;
    close(file, functions);
  }
  return out.shape[0];
}
REGISTER_EACH(read_sounds, SampleTypes)

static i64 close_sound(Dense<i64, 1> state, Dense<const i64, 1> library) {
  if (!fit(state, library)) return MISFIT;
  close(*(OpenedSound*)state.data, *(const Library*)library.data);
  return 0;
}
REGISTER_SHORT(close_sound)

// Those that are still open.
static i64 close_sounds(Dense<i64, 2> states, Dense<const i64, 1> library) {
  if (!fit(states, states.shape[0], library)) return MISFIT;
  for (i64 i = 0; i < states.shape[0]; i++) close(*(OpenedSound*)&states(i, 0), *(const Library*)library.data);
  return 0;
}
REGISTER_SHORT(close_sounds)

// ------------------------------------------------------------------------------------------------------------------ WAV

// The samples of `SIZE` bytes as numbers of 32 bits whose upper ones they are; single bytes have no sign.
template <int SIZE> HD i32 upper_bits(const u8* from) {
  if constexpr (SIZE == 1) return (i32)((u32)(*from ^ 0x80) << 24);
  u32 bits = 0;
  memcpy((u8*)&bits + 4 - SIZE, from, SIZE);
  return (i32)bits;
}
template <int SIZE, class T> static void whole_samples(const u8* from, i64 count, T* to) {
  for (i64 i = 0; i < count; i++) {
    const i32 x = upper_bits<SIZE>(from + i * SIZE);
    if constexpr (same<T, i16>::value) to[i] = (i16)(x >> 16);
    else if constexpr (same<T, i32>::value) to[i] = x;
    else to[i] = (float)x * 0x1p-31f;
  }
}
// `count` samples of 1 to 4 bytes.
template <class T> static void samples_of(const u8* from, i64 size, i64 count, T* to) {
  switch (size) {
    case 1: return whole_samples<1>(from, count, to);
    case 2: return whole_samples<2>(from, count, to);
    case 3: return whole_samples<3>(from, count, to);
    default: return whole_samples<4>(from, count, to);
  }
}
// Those that begin at `start`.
template <class T> i64 read_wav(Dense<const u8, 1> data, i64 start, int size, Dense<T, 2> out) {
  const i64 count = out.size();
  if (start < 0 || size < 1 || size > 4 || count > (data.shape[0] - start) / size) return MISFIT;
  samples_of(data.data + start, size, count, out.data);
  return 0;
}
REGISTER_EACH(read_wav, SampleTypes)

// Of a file with whole numbers: where its samples begin, their bytes, how many each channel has, channels, and samples a second. All
// are 0 for what is not as plain as can be.
enum { START, SIZE, FRAMES, CHANNELS, RATE, HEAD };
enum { PCM = 1, MAX_CHANNELS = 1024 };
template <class T> static T value_at(const u8* from) {
  T value;
  memcpy(&value, from, sizeof(T));
  return value;
}
static void wav_head(const u8* data, i64 bytes, i64* head) {
  for (int k = 0; k < HEAD; k++) head[k] = 0;
  if (bytes < 12 || memcmp(data, "RIFF", 4) || memcmp(data + 8, "WAVE", 4)) return;
  const u8* form = nullptr;
  i64 at = 12;
  for (;;) {
    if (at + 8 > bytes) return;
    const u8* chunk = data + at;
    const i64 length = value_at<u32>(chunk + 4);
    at += 8;
    if (!memcmp(chunk, "fmt ", 4)) {
      if (at + 16 > bytes) return;
      form = data + at;
    } else if (!memcmp(chunk, "data", 4)) {
      const i64 channels = form ? value_at<u16>(form + 2) : 0, rate = form ? value_at<u32>(form + 4) : 0;
      const int bits = form ? value_at<u16>(form + 14) : 0, size = bits / 8;
      const bool plain = form && value_at<u16>(form) == PCM && bits % 8 == 0 && bits > 0 && bits <= 32 && channels > 0 && channels <= MAX_CHANNELS && rate;
      if (!plain || value_at<u16>(form + 12) != size * channels || length % (size * channels) || at + length > bytes) return;
      head[START] = at, head[SIZE] = size, head[FRAMES] = length / (size * channels), head[CHANNELS] = channels, head[RATE] = rate;
      return;
    }
    at += length + length % 2;
  }
}
// Of files, by their addresses and bytes; gives how many are plain.
static i64 wav_heads(Array<const i64, 1> files, Array<const i64, 1> bytes, Dense<i64, 2> heads) {
  if (bytes.shape[0] != files.shape[0] || heads.shape[0] != files.shape[0] || heads.shape[1] != HEAD) return MISFIT;
  i64 plain = 0;
  for (i64 i = 0; i < files.shape[0]; i++) {
    wav_head((const u8*)(u64)files(i), bytes(i), &heads(i, 0));
    plain += heads(i, START) > 0;
  }
  return plain;
}
REGISTER_SHORT(wav_heads)

// All samples of these files, to addresses.
template <class T> i64 read_wavs(Array<const i64, 1> files, Dense<const i64, 2> heads, Array<const i64, 1> out) {
  if (heads.shape[0] != files.shape[0] || heads.shape[1] != HEAD || out.shape[0] != files.shape[0]) return MISFIT;
  for (i64 i = 0; i < files.shape[0]; i++)
    if (heads(i, START) < 1 || heads(i, SIZE) < 1 || heads(i, SIZE) > 4 || heads(i, FRAMES) < 0 || heads(i, CHANNELS) < 1) return MISFIT;
  for (i64 i = 0; i < files.shape[0]; i++)
    samples_of((const u8*)(u64)files(i) + heads(i, START), heads(i, SIZE), heads(i, FRAMES) * heads(i, CHANNELS), (T*)(u64)out(i));
  return 0;
}
REGISTER_EACH(read_wavs, SampleTypes)
