import * as crypto from "node:crypto";

export interface DuplicateFinder {
  /** The first row that had this text, `row` itself when the text is new. */
  firstRowOf(message: string, row: number): number;
}

const WORD_BYTES = 4;
/** 128 bits of the hash. */
const KEY_BYTES = 16;
const ENTRY_BYTES = KEY_BYTES + WORD_BYTES;
const BLOCK_ENTRIES = 65_536;
const FIRST_SLOT_COUNT = 1024;

/**
 * Finds equal texts among millions in one pass without keeping them: 20 bytes for each different text and at most
 * 12 for the table, about 30 MB for a million. Different texts with the same 128 bits of SHA-256 do not occur.
 */
export function createDuplicateFinder(): DuplicateFinder {
  const entries = createEntries();
  const keyOf = createKeyMaker();
  // Open addressing with linear probing: a slot holds the number of an entry plus one, zero is free.
  let slots = createSlots(FIRST_SLOT_COUNT);

  /** The slot that holds the key, else the free one where it belongs. */
  function slotOf(key: Key): number {
    let slot = slots.home(key);
    for (let taken = slots.get(slot); taken !== 0; taken = slots.get(slot)) {
      if (isSameKey(entries.key(taken - 1), key)) break;
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
    firstRowOf(message, row) {
      const key = keyOf(message);
      const taken = slots.get(slotOf(key));
      if (taken !== 0) return entries.row(taken - 1);
      // Three quarters full: beyond that probing gets slow.
      if (entries.count() * 4 >= slots.count * 3) grow();
      entries.add(key, row);
      slots.set(slotOf(key), entries.count());
      return row;
    },
  };
}

/** Where 16 bytes of hash lie. */
interface Key {
  readonly view: DataView;
  readonly offset: number;
}

/** Gives the function that makes keys; the one it gave before is gone then. */
function createKeyMaker(): (message: string) => Key {
  const view = new DataView(new ArrayBuffer(KEY_BYTES));
  const key = { view, offset: 0 };
  return (message) => {
    // A string of bytes costs a third of a Buffer.
    const bytes = crypto.hash("sha256", message, "binary");
    for (let at = 0; at < KEY_BYTES; at += 1) view.setUint8(at, bytes.charCodeAt(at));
    return key;
  };
}

function isSameKey(left: Key, right: Key): boolean {
  for (let at = 0; at < KEY_BYTES; at += WORD_BYTES) {
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

/** Keys and rows in blocks, so that growing neither copies them nor holds them twice. */
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
    row: (entry: number) => {
      const { view, offset } = key(entry);
      return view.getUint32(offset + KEY_BYTES);
    },
    add(hash: Key, row: number): void {
      const { view, offset } = key(count);
      for (let at = 0; at < KEY_BYTES; at += WORD_BYTES) {
        view.setUint32(offset + at, hash.view.getUint32(hash.offset + at));
      }
      view.setUint32(offset + KEY_BYTES, row);
      count += 1;
    },
  };
}
