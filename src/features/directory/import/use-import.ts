import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getImport, importMemberFile } from '../../../../server/contract/directory/import.ts'
import { callQuery, queryClient, useCallMutation } from '../../../api.ts'
import { createUploadId, type UploadInProgress } from '../../sheets/upload/use-upload.ts'

/** Uploads a roster: the bytes, then the progress of reading it. */
export function useRosterUpload() {
  const [file, setFile] = useState({ name: '', size: 0, import_id: createUploadId() })
  const [sent, setSent] = useState(0)
  const [error, setError] = useState<string | null>(null)
  const [abortController, setAbortController] = useState(() => new AbortController())
  const upload = useCallMutation(importMemberFile, {
    handles: () => true,
    onProgress: setSent,
    signal: abortController.signal,
    // The upload counts as running until its result can be shown: the empty page never appears in between.
    onSuccess: () => queryClient.refetchQueries({ queryKey: callQuery(getImport, {}).queryKey, exact: true }),
  })
  const progress = useQuery({
    ...callQuery(getImport, { import_id: file.import_id }),
    enabled: upload.isPending && sent >= 1,
    refetchInterval: 500,
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  }).data?.import
  const uploadFile = async (selectedFile: File) => {
    const import_id = createUploadId()
    setFile({ name: selectedFile.name, size: selectedFile.size, import_id })
    setError(null)
    setSent(0)
    const input = { file: selectedFile, import_id }
    await upload.mutateAsync(input).catch((failure: unknown) => {
      if (!(failure instanceof DOMException && failure.name === 'AbortError'))
        setError(failure instanceof Error ? failure.message : String(failure))
    })
  }
  const cancel = () => {
    abortController.abort()
    setAbortController(new AbortController())
  }
  const stages = { waiting: 'waiting', reading: 'reading' } as const
  const stage =
    progress?.stage === 'waiting' || progress?.stage === 'reading' ? stages[progress.stage] : progress ? 'keeping' : 'waiting'
  const status: UploadInProgress | null = upload.isPending
    ? {
        file_name: file.name,
        bytes: file.size,
        stage: sent < 1 ? 'sending' : stage,
        sent,
        done: progress?.done ?? 0,
        total: progress?.total ?? 0,
        sheet: progress?.sheet ?? '',
        labels: [],
        survivesLeaving: false,
      }
    : null
  return { channel: status, error, setError, bring: uploadFile, giveUp: cancel }
}
