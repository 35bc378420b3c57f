/** The shared strings of a workbook, stored once and referred to by index. */
import { decodeEscapes, XmlScanner } from './xml.ts'

export class SharedStrings extends XmlScanner {
  readonly texts: string[] = []
  private inText = false
  private inRun = false
  private inReading = false
  private plain = ''
  private run = ''
  /** The concatenated rich text runs, or null for plain text. */
  private runs: string | null = null

  protected open(name: string): void {
    if (name === 't') {
      // Phonetic text is not part of the value.
      this.inText = this.listening = !this.inReading
      if (this.inText && this.inRun) this.run = ''
      else if (this.inText) this.plain = ''
    } else if (name === 'r') {
      this.inRun = true
      this.run = ''
    } else if (name === 'rPh') this.inReading = true
    else if (name === 'si') {
      this.plain = ''
      this.runs = null
    }
  }

  protected close(name: string): void {
    if (name === 't') this.inText = this.listening = false
    else if (name === 'r') {
      this.inRun = false
      this.runs = (this.runs ?? '') + decodeEscapes(this.run)
    } else if (name === 'rPh') this.inReading = false
    else if (name === 'si') this.texts.push(decodeEscapes(this.plain) + (this.runs ?? ''))
  }

  protected text(from: number, to: number): void {
    this.verbatim(this.decoded(from, to))
  }

  protected verbatim(text: string): void {
    if (this.inRun) this.run += text
    else this.plain += text
  }
}
