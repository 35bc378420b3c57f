import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { CallOutput, CallRequest } from '../../../../server/contract/call.ts'
import { clearUpload, getUploadProgress, uploadWageExcel } from '../../../../server/contract/sheets/sheet.ts'
import { callApi, callQuery, createIdempotencyKey, useCallMutation, withFile } from '../../../api.ts'

export type UploadResult = CallOutput<typeof uploadWageExcel>
export type UploadStage = 'sending' | CallOutput<typeof getUploadProgress>['stage']
export type UploadInProgress = {
  file_name: string
  bytes: number
  stage: UploadStage
  /** The share of uploaded bytes, from 0 to 1. */
  sent: number
  done: number
  total: number
  sheet: string
  labels: readonly string[]
  /** Continues when this page is left. */
  survivesLeaving: boolean
}
type UploadTarget = Partial<Pick<CallRequest<typeof uploadWageExcel>, 'title_id' | 'batch_id' | 'compare_only'>>

/** Creates an id in the format of the contract, also in browsers that cannot generate one. */
export function createUploadId(): string {
  const hex = createIdempotencyKey().replaceAll('-', '')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * Uploads one file: its bytes, then the server's progress of reading it. `upload` returns the recognition result, or
 * null if the file was rejected (`error` says why), the upload was cancelled, or the page was left: users who left are
 * not pulled back.
 */
export function useSheetUpload() {
  const [file, setFile] = useState({ name: '', size: 0, upload_id: createUploadId(), lasts: true })
  const [sent, setSent] = useState(0)
  const [error, setError] = useState<string | null>(null)
  const [abortController, setAbortController] = useState(() => new AbortController())
  const uploadCall = useCallMutation(uploadWageExcel, {
    handles: () => true,
    onProgress: setSent,
    signal: abortController.signal,
  })
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  const progress = useQuery({
    ...callQuery(getUploadProgress, { upload_id: file.upload_id }),
    enabled: uploadCall.isPending && sent >= 1,
    refetchInterval: 500,
    staleTime: 0,
    gcTime: 0,
  }).data
  const upload = async (selectedFile: File, target: UploadTarget = {}): Promise<UploadResult | null> => {
    const upload_id = createUploadId()
    setFile({ name: selectedFile.name, size: selectedFile.size, upload_id, lasts: target.compare_only !== '1' })
    setError(null)
    setSent(0)
    try {
      const info = await uploadCall.mutateAsync(withFile({ upload_id, ...target }, selectedFile))
      return isMounted.current ? info : null
    } catch (failure) {
      const isAborted = failure instanceof DOMException && failure.name === 'AbortError'
      if (!isAborted) setError(failure instanceof Error ? failure.message : String(failure))
      return null
    }
  }
  const cancel = () => {
    // Otherwise the server would continue after the abort.
    if (uploadCall.isPending) clearUploadRecord(file.upload_id)
    abortController.abort()
    setAbortController(new AbortController())
  }
  const status: UploadInProgress | null = uploadCall.isPending
    ? {
        file_name: file.name,
        bytes: file.size,
        stage: sent < 1 ? 'sending' : (progress?.stage ?? 'waiting'),
        sent,
        done: progress?.done ?? 0,
        total: progress?.total ?? 0,
        sheet: progress?.sheet ?? '',
        labels: progress?.labels ?? [],
        survivesLeaving: file.lasts && progress?.is_running === true,
      }
    : null
  return { channel: status, error, setError, upload, giveUp: cancel }
}

/** Clears the record of a cancelled or finished upload, so that it is not reported again. */
export const clearUploadRecord = (upload_id: string) =>
  void callApi(clearUpload, { upload_id }, { keepalive: true }).catch(() => {
    // The server deletes the record after a day anyway.
  })
