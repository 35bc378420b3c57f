/**
 * The limited processes in which files are opened. Starting one takes half a second of somebody's waiting, so one is always ready: it
 * knows nothing yet, has opened nothing, and is used once.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { lowerPriority } from './child-watch.ts'
import { resolveReaderProgram } from './reader-program.ts'

/** Above what the watch allows the largest file (child-watch.ts): where nobody watches, this is the end. */
const heapMegabytes = 448
const projectRoot = fileURLToPath(new URL('../../../', import.meta.url))
const { entry, readable, assertUnchanged } = resolveReaderProgram(projectRoot)
const programArguments = [
  '--permission',
  ...readable.map((path) => `--allow-fs-read=${projectRoot}${path}`),
  `--max-old-space-size=${heapMegabytes}`,
  // A larger nursery saves a tenth of the time and costs three times its size.
  '--max-semi-space-size=16',
  '--min-semi-space-size=16',
  '--no-warnings',
  `${projectRoot}${entry}`,
]

/** It waits for its input: one line of JSON that says what is wanted (`Wanted` of child.ts), then the file. */
function startChild(): ChildProcess {
  const child = spawn(process.execPath, programArguments, {
    env: {},
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
  lowerPriority(child)
  return child
}

let readyChild: ChildProcess | null = null

/** Nothing waits for one that is only ready: when this process ends, its input ends, and so does it. */
function setIdle(child: ChildProcess, is: boolean): void {
  for (const one of [child, child.stdin, child.stdout] as unknown as { ref(): void; unref(): void }[]) {
    if (is) one.unref()
    else one.ref()
  }
}

/** Starts one for the next file, unless there is one. */
export function prepareChild(): void {
  if (readyChild) return
  const child = startChild()
  readyChild = child
  const forget = () => {
    if (readyChild === child) readyChild = null
  }
  child.once('exit', forget)
  child.once('error', forget)
  child.stdin?.on('error', forget)
  setIdle(child, true)
}

/** A child for one file, and the next one once it is done. Throws `SheetUnreadable` where its program is another one by now. */
export function acquireChild(): ChildProcess {
  assertUnchanged()
  const child = readyChild ?? startChild()
  readyChild = null
  setIdle(child, false)
  child.once('close', prepareChild)
  return child
}
