import { useSyncExternalStore } from 'react'
import { type ExportKind, exportWageDetail, type Paper } from '../../../../server/contract/slip/slip.ts'
import { exportEvidence } from '../../../../server/contract/wage/evidence.ts'
import { useCall } from '../../../api.ts'
import { monthName } from '../../../ui/value/dates.ts'

/**
 * The exports this window has asked for. They are made on the server whether or not somebody watches; their numbers are kept in
 * the window, so that one finds them again after leaving the page or reloading. No amount is kept.
 */
export type ExportJob = { job_id: string; title: string; what: ExportKind; fetched?: boolean }

/** What can be asked for: a kind of file, of some a way to draw it. */
export const exportChoices = {
  detail: { what: 'detail' },
  status: { what: 'status' },
  receipts: { what: 'receipts' },
  receipt_pages: { what: 'receipts', format: 'pdf' },
  log: { what: 'log' },
  evidence: { what: 'evidence' },
  paper: { what: 'paper' },
  paper_small: { what: 'paper', paper: { size: 'A5', large: false } },
  paper_large: { what: 'paper', paper: { size: 'A4', large: true } },
} as const satisfies Record<string, { what: ExportKind; format?: 'pdf'; paper?: Paper }>
export type ExportChoice = keyof typeof exportChoices
export const choiceWords: Record<ExportChoice, string> = {
  detail: '工资明细',
  status: '查看与确认状态',
  receipts: '确认回执（Excel）',
  receipt_pages: '确认回执（PDF）',
  log: '修改记录',
  evidence: '证据包（可离线核验）',
  paper: '证据（PDF）',
  paper_small: '证据（PDF，A5 纸）',
  paper_large: '证据（PDF，大字）',
}
export const exportWords: Record<ExportKind, string> = {
  detail: '工资明细',
  status: '查看与确认状态',
  receipts: '确认回执',
  log: '修改记录',
  evidence: '证据包（可离线核验）',
  paper: '证据（PDF）',
}

const key = 'exports'
const read = (): readonly ExportJob[] => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}
let jobs = read()
const listeners = new Set<() => void>()

function keep(next: readonly ExportJob[]) {
  jobs = next
  try {
    sessionStorage.setItem(key, JSON.stringify(jobs))
  } catch {
    // Then they are known until the window is reloaded.
  }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useExportJobs = () => useSyncExternalStore(subscribe, () => jobs)
export const forgetExport = (job_id: string) => keep(jobs.filter((job) => job.job_id !== job_id))
export const markFetched = (job_id: string) => keep(jobs.map((job) => (job.job_id === job_id ? { ...job, fetched: true } : job)))

/** Begins an export; `<ExportBar />` shows how far it is and fetches the file. */
export function useExport() {
  const start = useCall(exportWageDetail)
  return {
    busy: start.isPending,
    begin: ({ title, ...batch }: { batch_id: string; salary_id?: string; title: string }, choice: ExportChoice) => {
      const asked = exportChoices[choice]
      start.mutate({ ...batch, ...asked }, { onSuccess: ({ job_id }) => keep([...jobs, { job_id, title, what: asked.what }]) })
    },
  }
}

/** Begins evidence of a period; rejects where it is refused, so that the dialog stays. */
export function useEvidence() {
  const start = useCall(exportEvidence, { handles: (error) => error.field !== undefined })
  return async (period: { from: string; to: string; member_id?: string }, choice: ExportChoice, name?: string): Promise<void> => {
    const asked = exportChoices[choice]
    if (asked.what !== 'evidence' && asked.what !== 'paper') return
    const { job_id } = await start.mutateAsync({ ...period, ...asked })
    const months = period.from === period.to ? monthName(period.from) : `${monthName(period.from)}至${monthName(period.to)}`
    keep([...jobs, { job_id, title: [name, months].filter(Boolean).join(' '), what: asked.what }])
  }
}
