import { createHash } from "node:crypto";

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
  // Open addressing with linear probing: a slot holds the number of an entry plus one, zero is free.
  let slots = createSlots(FIRST_SLOT_COUNT);

  /** The slot that holds the key, else the free one where it belongs. */
  function slotOf(key: DataView): number {
    let slot = slots.home(key);
    for (let taken = slots.get(slot); taken !== 0; taken = slots.get(slot)) {
      if (entries.hasKey(taken - 1, key)) break;
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

function keyOf(message: string): DataView {
  const hash = createHash("sha256").update(message).digest();
  return new DataView(hash.buffer, hash.byteOffset, KEY_BYTES);
}

function createSlots(count: number) {
  const view = new DataView(new ArrayBuffer(count * WORD_BYTES));
  return {
    count,
    home: (key: DataView) => key.getUint32(0) % count,
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

  function key(entry: number): DataView {
    const block = blockOf(entry);
    return new DataView(block.buffer, (entry % BLOCK_ENTRIES) * ENTRY_BYTES, KEY_BYTES);
  }

  return {
    count: () => count,
    key,
    hasKey: (entry: number, other: DataView) => {
      const own = key(entry);
      return (
        own.getBigUint64(0) === other.getBigUint64(0) &&
        own.getBigUint64(8) === other.getBigUint64(8)
      );
    },
    row: (entry: number) =>
      blockOf(entry).getUint32((entry % BLOCK_ENTRIES) * ENTRY_BYTES + KEY_BYTES),
    add(own: DataView, row: number): void {
      const block = blockOf(count);
      const offset = (count % BLOCK_ENTRIES) * ENTRY_BYTES;
      block.setBigUint64(offset, own.getBigUint64(0));
      block.setBigUint64(offset + 8, own.getBigUint64(8));
      block.setUint32(offset + KEY_BYTES, row);
      count += 1;
    },
  };
}
