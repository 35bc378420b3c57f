import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getUploadProgress, uploadWageExcel } from '../../../../server/contract/sheets/sheet.ts'
import { ApiError, callApi, callQuery, refreshQueries } from '../../../api.ts'
import { clearUploadRecord, type UploadInProgress } from './use-upload.ts'

type UploadStatus = CallOutput<typeof getUploadProgress>
const isInProgress = ({ stage }: UploadStatus) => stage !== 'done' && stage !== 'refused'

/**
 * Follows an upload that was started before this page was opened, of a new batch or of this one, and resumes it if it
 * was abandoned. `onDone` receives the batch.
 */
export function useRunningUpload({
  batch_id,
  enabled,
  onDone,
}: {
  batch_id?: string
  enabled: boolean
  onDone: (batch_id: string) => void
}) {
  const initial = useQuery({
    ...callQuery(getUploadProgress, batch_id ? { batch_id } : {}),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    meta: { quiet: true },
  }).data
  const [finishedIds, setFinishedIds] = useState<readonly string[]>([])
  const running = enabled && initial?.upload_id && !finishedIds.includes(initial.upload_id) ? initial : null
  const isOwn = running?.by === ''
  // The user's own upload is queried by its id, to receive its result; another user's by the batch.
  const latest = useQuery({
    ...callQuery(getUploadProgress, isOwn ? { upload_id: running.upload_id ?? '' } : { batch_id: batch_id ?? '' }),
    enabled: running !== null && isInProgress(running),
    refetchInterval: 700,
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  }).data
  const current = latest ?? running
  const upload_id = running?.upload_id ?? null
  const finish = useEffectEvent((resultBatchId: string) => {
    void refreshQueries()
    onDone(resultBatchId)
  })
  const [error, setError] = useState<string | null>(null)
  const resume = useEffectEvent((id: string) => {
    callApi(uploadWageExcel, { upload_id: id, resume: '1' }).catch((failure: unknown) => {
      // Another window has already resumed the upload.
      if (failure instanceof ApiError && failure.is('wrong_state')) return
      setFinishedIds((ids) => [...ids, id])
      setError(failure instanceof Error ? failure.message : String(failure))
    })
  })
  const resultBatchId =
    running && current && (current.stage === 'done' || current.upload_id === null) ? (current.batch_id ?? batch_id ?? null) : null
  useEffect(() => {
    if (resultBatchId) finish(resultBatchId)
  }, [resultBatchId])
  const isAbandoned = isOwn && current !== null && isInProgress(current) && !current.is_running && current.upload_id === upload_id
  useEffect(() => {
    if (isAbandoned && upload_id) resume(upload_id)
  }, [isAbandoned, upload_id])
  const dismiss = () => {
    setError(null)
    if (!upload_id) return
    if (isOwn) clearUploadRecord(upload_id)
    setFinishedIds((ids) => [...ids, upload_id])
  }
  const status: UploadInProgress | null =
    running && current && isInProgress(current) && current.upload_id !== null
      ? { ...current, file_name: running.file_name, bytes: running.bytes, stage: current.stage, sent: 1, survivesLeaving: true }
      : null
  return { channel: status, by: running?.by ?? '', refused: current?.stage === 'refused' ? current : null, error, dismiss }
}
