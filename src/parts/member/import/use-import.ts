import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getImport, importMemberFile } from '../../../../server/contract/people/import.ts'
import { cache, query, useCall } from '../../../api.ts'
import { newId, type Underway } from '../../sheet/upload/use-upload.ts'

/** A roster on its way to the server: its bytes, then how far its reading is. */
export function useImportFile() {
  const [file, setFile] = useState({ name: '', size: 0, import_id: newId() })
  const [sent, setSent] = useState(0)
  const [error, setError] = useState<string | null>(null)
  const [stop, setStop] = useState(() => new AbortController())
  const sending = useCall(importMemberFile, {
    handles: () => true,
    onProgress: setSent,
    signal: stop.signal,
    // It is under way until what became of it can be shown: never the empty page in between.
    onSuccess: () => cache.refetchQueries({ queryKey: query(getImport, {}).queryKey, exact: true }),
  })
  const told = useQuery({
    ...query(getImport, { import_id: file.import_id }),
    enabled: sending.isPending && sent >= 1,
    refetchInterval: 500,
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  }).data?.import
  const bring = async (chosen: File) => {
    const import_id = newId()
    setFile({ name: chosen.name, size: chosen.size, import_id })
    setError(null)
    setSent(0)
    const input = { file: chosen, import_id }
    await sending.mutateAsync(input).catch((thrown: unknown) => {
      if (!(thrown instanceof DOMException && thrown.name === 'AbortError'))
        setError(thrown instanceof Error ? thrown.message : String(thrown))
    })
  }
  const giveUp = () => {
    stop.abort()
    setStop(new AbortController())
  }
  const stages = { waiting: 'waiting', reading: 'reading' } as const
  const stage = told?.stage === 'waiting' || told?.stage === 'reading' ? stages[told.stage] : told ? 'keeping' : 'waiting'
  const way: Underway | null = sending.isPending
    ? {
        file_name: file.name,
        bytes: file.size,
        stage: sent < 1 ? 'sending' : stage,
        sent,
        done: told?.done ?? 0,
        total: told?.total ?? 0,
        sheet: told?.sheet ?? '',
        labels: [],
        lasts: false,
      }
    : null
  return { way, error, setError, bring, giveUp }
}
