/**
 * Generates requests at a constant rate, spread evenly, whether responses have arrived or not. A generator that sends a
 * second's share as fast as responses come sends in bursts, and the resulting rejections would not be the server's
 * fault (at twice the server's capacity it showed a quarter). It uses bare sockets and one prebuilt request, so that it
 * takes little CPU time from the server.
 */
import { connect, type Socket } from 'node:net'

export type Answered = { readonly status: number; readonly ms: number }

/** A connection that handles one response at a time; head and body end where the content length says. */
class Line {
  readonly #socket: Socket
  #heard = ''
  #done: ((status: number) => void) | null = null

  constructor(port: number, ended: (line: Line) => void) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.setEncoding('latin1')
    this.#socket.on('data', (text: string) => this.#hear(text))
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
      ended(this)
      this.#tell(0)
    })
  }
  call(request: string, done: (status: number) => void): void {
    this.#done = done
    this.#socket.write(request)
  }
  close(): void {
    this.#socket.destroy()
  }
  #hear(text: string): void {
    this.#heard += text
    const head = this.#heard.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#heard)?.[1] ?? 0)
    if (this.#heard.length < head + 4 + length) return
    const status = Number(this.#heard.slice(9, 12))
    this.#heard = ''
    this.#tell(status)
  }
  #tell(status: number): void {
    const done = this.#done
    this.#done = null
    done?.(status)
  }
}

/**
 * Sends `rate` requests a second for the given time. Latency counts from the planned time, also where sending was late.
 * A broken connection yields status 0.
 */
export async function arriving(port: number, request: string, { rate, seconds }: { rate: number; seconds: number }) {
  const answered: Answered[] = []
  const free: Line[] = []
  const all = new Set<Line>()
  const ended = (line: Line): void => {
    all.delete(line)
    const at = free.indexOf(line)
    if (at >= 0) free.splice(at, 1)
  }
  const began = performance.now()
  const most = rate * seconds
  await new Promise<void>((finished) => {
    const send = (due: number): void => {
      const line = free.pop() ?? new Line(port, ended)
      all.add(line)
      line.call(request, (status) => {
        answered.push({ status, ms: performance.now() - due })
        if (all.has(line)) free.push(line)
        if (answered.length === most) finished()
      })
    }
    let sent = 0
    const clock = setInterval(() => {
      const should = Math.min(most, Math.floor(((performance.now() - began) / 1000) * rate))
      for (; sent < should; sent++) send(began + ((sent + 1) / rate) * 1000)
      if (sent === most) clearInterval(clock)
    }, 2)
  })
  for (const line of all) line.close()
  return answered
}
