import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { AskOf, OutputOf } from '../../../../server/contract/call.ts'
import { clearUpload, getUploadProgress, uploadWageExcel } from '../../../../server/contract/sheet/sheet.ts'
import { ask, intent, query, useCall, withFile } from '../../../api.ts'

export type Uploaded = OutputOf<typeof uploadWageExcel>
export type Stage = 'sending' | OutputOf<typeof getUploadProgress>['stage']
export type Underway = {
  file_name: string
  bytes: number
  stage: Stage
  /** 0 to 1, of the bytes. */
  sent: number
  done: number
  total: number
  sheet: string
  labels: readonly string[]
  /** It goes on when this page is left. */
  lasts: boolean
}
type To = Partial<Pick<AskOf<typeof uploadWageExcel>, 'title_id' | 'batch_id' | 'compare'>>

/** An id in the form that the contract asks for, also where the browser makes none of its own. */
export function newId(): string {
  const hex = intent().replaceAll('-', '')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * One file on its way to the server: its bytes, then what the server tells of its reading. `upload` answers what was understood, or
 * null where it was refused (`error` says why), given up, or the page was left: whoever left is not pulled back.
 */
export function useUpload() {
  const [file, setFile] = useState({ name: '', size: 0, upload_id: newId(), lasts: true })
  const [sent, setSent] = useState(0)
  const [error, setError] = useState<string | null>(null)
  const [stop, setStop] = useState(() => new AbortController())
  const sending = useCall(uploadWageExcel, { handles: () => true, onProgress: setSent, signal: stop.signal })
  const here = useRef(true)
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  const told = useQuery({
    ...query(getUploadProgress, { upload_id: file.upload_id }),
    enabled: sending.isPending && sent >= 1,
    refetchInterval: 500,
    staleTime: 0,
    gcTime: 0,
  }).data
  const upload = async (chosen: File, to: To = {}): Promise<Uploaded | null> => {
    const upload_id = newId()
    setFile({ name: chosen.name, size: chosen.size, upload_id, lasts: to.compare !== '1' })
    setError(null)
    setSent(0)
    try {
      const info = await sending.mutateAsync(withFile({ upload_id, ...to }, chosen))
      return here.current ? info : null
    } catch (thrown) {
      const givenUp = thrown instanceof DOMException && thrown.name === 'AbortError'
      if (!givenUp) setError(thrown instanceof Error ? thrown.message : String(thrown))
      return null
    }
  }
  const giveUp = () => {
    // It would go on without us.
    if (sending.isPending) forget(file.upload_id)
    stop.abort()
    setStop(new AbortController())
  }
  const way: Underway | null = sending.isPending
    ? {
        file_name: file.name,
        bytes: file.size,
        stage: sent < 1 ? 'sending' : (told?.stage ?? 'waiting'),
        sent,
        done: told?.done ?? 0,
        total: told?.total ?? 0,
        sheet: told?.sheet ?? '',
        labels: told?.labels ?? [],
        lasts: file.lasts && told?.held === true,
      }
    : null
  return { way, error, setError, upload, giveUp }
}

/** Given up, or read: nobody needs to be told of it again. */
export const forget = (upload_id: string) =>
  void ask(clearUpload, { upload_id }, { keepalive: true }).catch(() => {
    // It is forgotten after a day by itself.
  })
