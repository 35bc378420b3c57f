/** Texts of an .xls ([MS-XLS] 2.5.293 to 2.5.296): one or two bytes a sign, runs and readings behind them, cut wherever a record is full. */

/** Goes over the bytes of a record and those that continue it. */
export class RecordReader {
  private at = 0
  private piece = 0
  private readonly pieces: readonly Buffer[]

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces
  }

  get done(): boolean {
    this.turn()
    return this.piece >= this.pieces.length
  }

  byte(): number {
    this.turn()
    const byte = this.pieces[this.piece]?.[this.at++]
    if (byte === undefined) throw new RangeError('the texts are cut')
    return byte
  }
  word(): number {
    return this.byte() | (this.byte() << 8)
  }
  long(): number {
    return this.word() + this.word() * 0x1_0000
  }

  skip(count: number): void {
    for (let rest = count; rest > 0; ) {
      this.turn()
      const left = (this.pieces[this.piece]?.length ?? 0) - this.at
      if (left <= 0) throw new RangeError('the texts are cut')
      const some = Math.min(left, rest)
      this.at += some
      rest -= some
    }
  }

  /** Where a text goes on in the next piece, that begins with how wide its signs are. */
  signs(count: number, wide: boolean): string {
    let text = ''
    let isWide = wide
    for (let rest = count; rest > 0; ) {
      const piece = this.pieces[this.piece]
      if (!piece) throw new RangeError('the texts are cut')
      const size = isWide ? 2 : 1
      const some = Math.min(rest, Math.floor((piece.length - this.at) / size))
      text += piece.toString(isWide ? 'utf16le' : 'latin1', this.at, this.at + some * size)
      this.at += some * size
      rest -= some
      if (rest === 0) break
      this.piece++
      this.at = 0
      isWide = (this.byte() & 1) === 1
    }
    return text
  }

  private turn() {
    while (this.piece < this.pieces.length && this.at >= (this.pieces[this.piece]?.length ?? 0)) {
      this.piece++
      this.at = 0
    }
  }
}

/** A text with its length in two bytes. */
export function readText(reader: RecordReader): string {
  const count = reader.word()
  const flags = reader.byte()
  const runs = flags & 8 ? reader.word() : 0
  const reading = flags & 4 ? reader.long() : 0
  const text = reader.signs(count, (flags & 1) === 1)
  reader.skip(runs * 4 + reading)
  return text
}

/** All the texts that cells name by their number. */
export function readSharedStrings(record: readonly Buffer[]): string[] {
  const reader = new RecordReader(record)
  reader.long()
  const count = reader.long()
  const texts: string[] = []
  while (texts.length < count && !reader.done) texts.push(readText(reader))
  return texts
}
