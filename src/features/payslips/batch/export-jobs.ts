import { useSyncExternalStore } from 'react'
import { exportEvidencePackage } from '../../../../server/contract/payslips/evidence-package.ts'
import { type ExportKind, exportWageDetail, type PaperOptions } from '../../../../server/contract/payslips/send.ts'
import { useCallMutation } from '../../../api.ts'
import { formatMonth } from '../../../components/value/dates.ts'
import { isIdentityRequired, withIdentityProof } from '../../auth/account/identity-proof.ts'

/**
 * The exports requested in this window. The server creates them independently of this page; their ids are stored for
 * the window, so that they are found again after leaving the page or reloading. No amounts are stored.
 */
export type ExportJob = { job_id: string; title: string; what: ExportKind; fetched?: boolean }

/** The available exports: a kind of file, some with a choice of layout. */
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
} as const satisfies Record<string, { what: ExportKind; format?: 'pdf'; paper?: PaperOptions }>
export type ExportChoice = keyof typeof exportChoices
export const exportChoiceLabels: Record<ExportChoice, string> = {
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
export const exportKindLabels: Record<ExportKind, string> = {
  detail: '工资明细',
  status: '查看与确认状态',
  receipts: '确认回执',
  log: '修改记录',
  evidence: '证据包（可离线核验）',
  paper: '证据（PDF）',
}

const storageKey = 'exports'
const loadJobs = (): readonly ExportJob[] => {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored : []
  } catch {
    return []
  }
}
let jobs = loadJobs()
const listeners = new Set<() => void>()

function saveJobs(next: readonly ExportJob[]) {
  jobs = next
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(jobs))
  } catch {
    // Without storage, the jobs last until the window is reloaded.
  }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useExportJobs = () => useSyncExternalStore(subscribe, () => jobs)
export const removeExport = (job_id: string) => saveJobs(jobs.filter((job) => job.job_id !== job_id))
export const markDownloaded = (job_id: string) =>
  saveJobs(jobs.map((job) => (job.job_id === job_id ? { ...job, fetched: true } : job)))

/** Starts an export; `<ExportBar />` shows its progress and downloads the file. */
export function useExport() {
  const start = useCallMutation(exportWageDetail, { handles: isIdentityRequired })
  return {
    busy: start.isPending,
    start: ({ title, ...batch }: { batch_id: string; salary_id?: string; title: string }, choice: ExportChoice) => {
      const requested = exportChoices[choice]
      void withIdentityProof(() => start.mutateAsync({ ...batch, ...requested })).then(
        ({ job_id }) => saveJobs([...jobs, { job_id, title, what: requested.what }]),
        () => undefined,
      )
    },
  }
}

/** Starts an evidence package for a period; rejects on an error, so that the dialog stays open. */
export function useEvidenceExport() {
  const start = useCallMutation(exportEvidencePackage, {
    handles: (error) => error.field !== undefined || isIdentityRequired(error),
  })
  return async (period: { from: string; to: string; member_id?: string }, choice: ExportChoice, name?: string): Promise<void> => {
    const params = exportChoices[choice]
    if (params.what !== 'evidence' && params.what !== 'paper') return
    const { job_id } = await withIdentityProof(() => start.mutateAsync({ ...period, ...params }))
    const months = period.from === period.to ? formatMonth(period.from) : `${formatMonth(period.from)}至${formatMonth(period.to)}`
    saveJobs([...jobs, { job_id, title: [name, months].filter(Boolean).join(' '), what: params.what }])
  }
}
