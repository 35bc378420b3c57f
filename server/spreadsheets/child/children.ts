/**
 * The restricted child processes in which files are opened. Starting one takes half a second, so one is always
 * prepared: it has received no data yet, and is used once.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { lowerPriority } from './child-watch.ts'
import { resolveReaderProgram } from './reader-program.ts'

/**
 * The limit is above the memory limit for the largest file (child-watch.ts); it is the effective limit where usage
 * cannot be watched.
 */
const heapMegabytes = 448
const projectRoot = fileURLToPath(new URL('../../../', import.meta.url))
const { entry, readable, assertUnchanged } = resolveReaderProgram(projectRoot)
const programArguments = [
  '--permission',
  ...readable.map((path) => `--allow-fs-read=${projectRoot}${path}`),
  `--max-old-space-size=${heapMegabytes}`,
  // A larger nursery would save a tenth of the time and cost three times its size.
  '--max-semi-space-size=16',
  '--min-semi-space-size=16',
  '--no-warnings',
  `${projectRoot}${entry}`,
]

/** Starts a child that waits for its input: one JSON line with the request (`ReadRequest` in child.ts), then the file. */
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

/** An idle child does not keep this process alive: when this process exits, the child's input ends and it exits as well. */
function setIdle(child: ChildProcess, is: boolean): void {
  for (const one of [child, child.stdin, child.stdout] as unknown as { ref(): void; unref(): void }[]) {
    if (is) one.unref()
    else one.ref()
  }
}

/** Starts a child for the next file, unless one is ready. */
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

/** Returns a child for one file and prepares the next. Throws `UnreadableSheetError` if its program has changed. */
export function acquireChild(): ChildProcess {
  assertUnchanged()
  const child = readyChild ?? startChild()
  readyChild = null
  setIdle(child, false)
  child.once('close', prepareChild)
  return child
}
