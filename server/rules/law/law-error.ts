/** What the law cannot answer, or was asked wrongly: a sentence for people that names the place and says what to do. Never a zero instead. */
export class LawError extends RangeError {
  /** Where it is, as a reader of the input would point at it: `months[2].income`, `税率表 annual`. */
  readonly path: string

  constructor(position: string, message: string) {
    super(`${position}：${message}`)
    this.name = 'LawRefusal'
    this.path = position
  }
}
