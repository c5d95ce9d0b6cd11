/** Numbers by hash, for millions of hashes. */
export interface HashTable {
  /** The number that was kept with a hash; undefined when there is none. */
  find(hash: string): number | undefined;
  /** Keeps a number with a hash unless one was kept before; gives the one that is kept. */
  keep(hash: string, value: number): number;
}

const WORD_BYTES = 4;
/** Bytes of each hash that count, 128 bits. Different texts with the same of SHA-256 do not occur. */
export const HASH_BYTES = 16;
const ENTRY_BYTES = HASH_BYTES + WORD_BYTES;
const BLOCK_ENTRIES = 65_536;
const FIRST_SLOT_COUNT = 1024;

/**
 * A table that costs 20 bytes for each hash and at most 12 beside them, about 30 MB for a million. A hash is a string
 * of at least 16 bytes (encoding `binary`), which costs a third of a Buffer; numbers are whole and below 2^32.
 */
export function createHashTable(): HashTable {
  const entries = createEntries();
  const key: Key = { view: new DataView(new ArrayBuffer(HASH_BYTES)), offset: 0 };
  // Open addressing with linear probing: a slot holds the number of an entry plus one, zero is free.
  let slots = createSlots(FIRST_SLOT_COUNT);

  function setKey(hash: string): void {
    for (let at = 0; at < HASH_BYTES; at += 1) key.view.setUint8(at, hash.charCodeAt(at));
  }

  /** The slot that holds the key, else the free one where it belongs. */
  function slotOf(wanted: Key): number {
    let slot = slots.home(wanted);
    for (let taken = slots.get(slot); taken !== 0; taken = slots.get(slot)) {
      if (isSameKey(entries.key(taken - 1), wanted)) break;
      slot = slots.next(slot);
    }
    return slot;
  }

  function grow(): void {
    slots = createSlots(slots.count * 2);
    for (let entry = 0; entry < entries.count(); entry += 1) {
      slots.set(slotOf(entries.key(entry)), entry + 1);
    }
  }

  return {
    find(hash) {
      setKey(hash);
      const taken = slots.get(slotOf(key));
      return taken === 0 ? undefined : entries.value(taken - 1);
    },
    keep(hash, value) {
      setKey(hash);
      const taken = slots.get(slotOf(key));
      if (taken !== 0) return entries.value(taken - 1);
      // Three quarters full: beyond that probing gets slow.
      if (entries.count() * 4 >= slots.count * 3) grow();
      entries.add(key, value);
      slots.set(slotOf(key), entries.count());
      return value;
    },
  };
}

/** Where 16 bytes of hash lie. */
interface Key {
  readonly view: DataView;
  readonly offset: number;
}

function isSameKey(left: Key, right: Key): boolean {
  for (let at = 0; at < HASH_BYTES; at += WORD_BYTES) {
    if (left.view.getUint32(left.offset + at) !== right.view.getUint32(right.offset + at)) {
      return false;
    }
  }
  return true;
}

/** A table of numbers; `count` is a power of two. */
function createSlots(count: number) {
  const view = new DataView(new ArrayBuffer(count * WORD_BYTES));
  return {
    count,
    home: ({ view: hash, offset }: Key) => hash.getUint32(offset) % count,
    next: (slot: number) => (slot + 1) % count,
    get: (slot: number) => view.getUint32(slot * WORD_BYTES),
    set: (slot: number, value: number) => view.setUint32(slot * WORD_BYTES, value),
  };
}

/** Keys and values in blocks, so that growing neither copies them nor holds them twice. */
function createEntries() {
  const blocks: DataView[] = [];
  let count = 0;

  function blockOf(entry: number): DataView {
    const known = blocks[Math.floor(entry / BLOCK_ENTRIES)];
    if (known !== undefined) return known;
    const block = new DataView(new ArrayBuffer(BLOCK_ENTRIES * ENTRY_BYTES));
    blocks.push(block);
    return block;
  }

  function key(entry: number): Key {
    return { view: blockOf(entry), offset: (entry % BLOCK_ENTRIES) * ENTRY_BYTES };
  }

  return {
    count: () => count,
    key,
    value: (entry: number) => {
      const { view, offset } = key(entry);
      return view.getUint32(offset + HASH_BYTES);
    },
    add(hash: Key, value: number): void {
      const { view, offset } = key(count);
      for (let at = 0; at < HASH_BYTES; at += WORD_BYTES) {
        view.setUint32(offset + at, hash.view.getUint32(hash.offset + at));
      }
      view.setUint32(offset + HASH_BYTES, value);
      count += 1;
    },
  };
}
