/**
 * A question that the rules cannot answer, or invalid input: a message for users that names the position and says what
 * to do. It is never replaced by zero.
 */
export class LawError extends RangeError {
  /** The position as a reader of the input would name it: `months[2].income`, `税率表 annual`. */
  readonly path: string

  constructor(position: string, message: string) {
    super(`${position}：${message}`)
    this.name = 'LawRefusal'
    this.path = position
  }
}
