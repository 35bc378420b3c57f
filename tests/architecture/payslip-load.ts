/** Limits how much code is loaded to show one payslip. */
import { type Files, type Match, needs } from './source.ts'

const entry = 'server/modules/payslips/employee/payslips.ts'
const maxFiles = 96

/** Returns a file and every file that must be loaded before it can run. */
export function collectLoadedFiles(files: Files, from: string): string[] {
  const viewed = new Set<string>()
  const queue = [from]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const text = files[path]
    if (text === undefined || viewed.has(path)) continue
    viewed.add(path)
    queue.push(...needs(path, text))
  }
  return [...viewed]
}

/** Reports the number of files behind the payslip call when it exceeds the limit. */
export function checkPayslipLoad(files: Files): Match {
  const { length } = collectLoadedFiles(files, entry)
  return length > maxFiles ? { [entry]: length } : {}
}
