/**
 * The limited processes in which files are opened. Starting one takes half a second of somebody's waiting, so one is always ready: it
 * knows nothing yet, has opened nothing, and is used once.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { behindTheServer } from './child-watch.ts'
import { programAt } from './program.ts'

/** Above what the watch allows the largest file (child-watch.ts): where nobody watches, this is the end. */
const heap_mb = 448
const root = fileURLToPath(new URL('../../../', import.meta.url))
const { entry, readable, mustBeAsStarted } = programAt(root)
const program = [
  '--permission',
  ...readable.map((path) => `--allow-fs-read=${root}${path}`),
  `--max-old-space-size=${heap_mb}`,
  // A larger nursery saves a tenth of the time and costs three times its size.
  '--max-semi-space-size=16',
  '--min-semi-space-size=16',
  '--no-warnings',
  `${root}${entry}`,
]

/** It waits for its input: one line of JSON that says what is wanted (`Wanted` of child.ts), then the file. */
function start(): ChildProcess {
  const child = spawn(process.execPath, program, { env: {}, cwd: root, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
  behindTheServer(child)
  return child
}

let ready: ChildProcess | null = null

/** Nothing waits for one that is only ready: when this process ends, its input ends, and so does it. */
function idle(child: ChildProcess, is: boolean): void {
  for (const one of [child, child.stdin, child.stdout] as unknown as { ref(): void; unref(): void }[]) {
    if (is) one.unref()
    else one.ref()
  }
}

/** Starts one for the next file, unless there is one. */
export function prepare(): void {
  if (ready) return
  const child = start()
  ready = child
  const forget = () => {
    if (ready === child) ready = null
  }
  child.once('exit', forget)
  child.once('error', forget)
  child.stdin?.on('error', forget)
  idle(child, true)
}

/** A child for one file, and the next one once it is done. Throws `SheetUnreadable` where its program is another one by now. */
export function takeChild(): ChildProcess {
  mustBeAsStarted()
  const child = ready ?? start()
  ready = null
  idle(child, false)
  child.once('close', prepare)
  return child
}
