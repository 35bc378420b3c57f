import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { getErrorCode } from './error-code.ts'

/**
 * Returns a mark that is constant while the process lives and differs for the next process with the same pid; null
 * where the system provides none (then the pid alone must suffice).
 */
export function getProcessStartMark(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      const ticks = statFields(pid)[19]
      return ticks ? `${boot}/${ticks}` : null
    } catch {
      return null
    }
  }
  if (process.platform === 'darwin') {
    try {
      const text = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env: { LC_ALL: 'C' } })
      return text.trim() || null
    } catch {
      return null
    }
  }
  return null
}

/** Whether a process is running. A zombie, which its parent has not collected yet, still accepts signals, but is dead. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (getErrorCode(error) !== 'EPERM') return false
  }
  if (process.platform !== 'linux') return true
  try {
    return statFields(pid)[0] !== 'Z'
  } catch {
    return false
  }
}

/** Returns the command line of a process (on Windows only its program), empty if it is unknown. */
export function getProcessCommand(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    if (process.platform === 'win32') {
      return execFileSync('tasklist', ['/fi', `pid eq ${pid}`, '/fo', 'csv', '/nh'], { encoding: 'utf8', windowsHide: true })
    }
    return execFileSync('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** Returns a process's CPU time so far and its current memory; null where the system does not report it, or it is gone. */
export async function getProcessUsage(pid: number): Promise<{ cpu_ms: number; memory: number } | null> {
  if (process.platform !== 'linux') return null
  try {
    const fields = getFields(await readFile(`/proc/${pid}/stat`, 'utf8'))
    // Linux reports CPU time in hundredths of a second to all programs and, with few exceptions, has pages of 4 kB.
    return { cpu_ms: (Number(fields[11]) + Number(fields[12])) * 10, memory: Number(fields[21]) * 4096 }
  } catch {
    return null
  }
}

/** Returns the fields of /proc/<pid>/stat from the state on; the name before it may itself contain spaces and brackets. */
const statFields = (pid: number): string[] => getFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))
const getFields = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ')
