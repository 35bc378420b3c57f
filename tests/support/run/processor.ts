/**
 * Measures the CPU time of a process tree. It reads /proc, so it works on Linux only; elsewhere it is null and nothing
 * is printed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second in /proc; Linux reports 100 on every machine used here. */
const ticks_per_second = 100

type ProcessStat = { readonly pid: number; readonly parent: number; readonly ticks: number }

function readStat(pid: string): ProcessStat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may contain spaces and brackets; the fields begin after the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system, ended_user, ended_system] = fields.slice(11, 15).map(Number)
    return {
      pid: Number(pid),
      parent: Number(fields[1]),
      ticks: (user ?? 0) + (system ?? 0) + (ended_user ?? 0) + (ended_system ?? 0),
    }
  } catch {
    // The process ended between the listing and the read.
    return null
  }
}

/** Returns user plus system seconds of a process, its living descendants and all ended children they waited for. */
export function getProcessorSeconds(root = process.pid): number | null {
  if (!existsSync('/proc/self/stat')) return null
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readStat(pid) ?? [])
  const children = Map.groupBy(all, ({ parent }) => parent)
  let ticks = 0
  const queue = all.filter(({ pid }) => pid === root)
  for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
    ticks += one.ticks
    queue.push(...(children.get(one.pid) ?? []))
  }
  return ticks / ticks_per_second
}
