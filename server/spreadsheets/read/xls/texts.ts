/**
 * Texts of an .xls ([MS-XLS] 2.5.293 to 2.5.296): one or two bytes per character, followed by formatting runs and
 * phonetic data, split wherever a record is full.
 */

/** Reads the bytes of a record and its continuation records. */
export class RecordReader {
  private position = 0
  private record = 0
  private readonly records: readonly Buffer[]

  constructor(segments: readonly Buffer[]) {
    this.records = segments
  }

  get done(): boolean {
    this.nextRecord()
    return this.record >= this.records.length
  }

  readByte(): number {
    this.nextRecord()
    const byte = this.records[this.record]?.[this.position++]
    if (byte === undefined) throw new RangeError('the texts are cut')
    return byte
  }
  readUint16(): number {
    return this.readByte() | (this.readByte() << 8)
  }
  readUint32(): number {
    return this.readUint16() + this.readUint16() * 0x1_0000
  }

  skip(count: number): void {
    for (let rest = count; rest > 0; ) {
      this.nextRecord()
      const left = (this.records[this.record]?.length ?? 0) - this.position
      if (left <= 0) throw new RangeError('the texts are cut')
      const some = Math.min(left, rest)
      this.position += some
      rest -= some
    }
  }

  /** If a text continues in the next record, that record begins with the character width. */
  readCharacters(count: number, wide: boolean): string {
    let text = ''
    let isWide = wide
    for (let rest = count; rest > 0; ) {
      const piece = this.records[this.record]
      if (!piece) throw new RangeError('the texts are cut')
      const size = isWide ? 2 : 1
      const some = Math.min(rest, Math.floor((piece.length - this.position) / size))
      text += piece.toString(isWide ? 'utf16le' : 'latin1', this.position, this.position + some * size)
      this.position += some * size
      rest -= some
      if (rest === 0) break
      this.record++
      this.position = 0
      isWide = (this.readByte() & 1) === 1
    }
    return text
  }

  private nextRecord() {
    while (this.record < this.records.length && this.position >= (this.records[this.record]?.length ?? 0)) {
      this.record++
      this.position = 0
    }
  }
}

/** Reads a text with a length of two bytes. */
export function readText(reader: RecordReader): string {
  const count = reader.readUint16()
  const flags = reader.readByte()
  const runs = flags & 8 ? reader.readUint16() : 0
  const reading = flags & 4 ? reader.readUint32() : 0
  const text = reader.readCharacters(count, (flags & 1) === 1)
  reader.skip(runs * 4 + reading)
  return text
}

/** Reads all texts to which cells refer by index. */
export function readSharedStrings(record: readonly Buffer[]): string[] {
  const reader = new RecordReader(record)
  reader.readUint32()
  const count = reader.readUint32()
  const texts: string[] = []
  while (texts.length < count && !reader.done) texts.push(readText(reader))
  return texts
}
