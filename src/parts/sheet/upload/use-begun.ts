import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getUploadProgress, uploadWageExcel } from '../../../../server/contract/sheet/sheet.ts'
import { ApiError, ask, askAnew, query } from '../../../api.ts'
import { forget, type Underway } from './use-upload.ts'

type Told = OutputOf<typeof getUploadProgress>
const isUnderWay = ({ stage }: Told) => stage !== 'done' && stage !== 'refused'

/**
 * An upload that was begun before this page was opened, of a new batch or of this one: followed to its end, and gone on with where nobody works on
 * it any more. `onDone` hears what it became.
 */
export function useBegun({
  batch_id,
  enabled,
  onDone,
}: {
  batch_id?: string
  enabled: boolean
  onDone: (batch_id: string) => void
}) {
  const first = useQuery({
    ...query(getUploadProgress, batch_id ? { batch_id } : {}),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    meta: { quiet: true },
  }).data
  const [over, setOver] = useState<readonly string[]>([])
  const found = enabled && first?.upload_id && !over.includes(first.upload_id) ? first : null
  const isMine = found?.by === ''
  // Mine by its number, so that what it became is heard; another one's as long as it is the batch's.
  const now = useQuery({
    ...query(getUploadProgress, isMine ? { upload_id: found.upload_id ?? '' } : { batch_id: batch_id ?? '' }),
    enabled: found !== null && isUnderWay(found),
    refetchInterval: 700,
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  }).data
  const told = now ?? found
  const upload_id = found?.upload_id ?? null
  const end = useEffectEvent((became: string) => {
    void askAnew()
    onDone(became)
  })
  const [error, setError] = useState<string | null>(null)
  const goOn = useEffectEvent((id: string) => {
    ask(uploadWageExcel, { upload_id: id, resume: '1' }).catch((thrown: unknown) => {
      // Another window was faster.
      if (thrown instanceof ApiError && thrown.is('wrong_state')) return
      setOver((ids) => [...ids, id])
      setError(thrown instanceof Error ? thrown.message : String(thrown))
    })
  })
  const became = found && told && (told.stage === 'done' || told.upload_id === null) ? (told.batch_id ?? batch_id ?? null) : null
  useEffect(() => {
    if (became) end(became)
  }, [became])
  const isLeft = isMine && told !== null && isUnderWay(told) && !told.held && told.upload_id === upload_id
  useEffect(() => {
    if (isLeft && upload_id) goOn(upload_id)
  }, [isLeft, upload_id])
  const dismiss = () => {
    setError(null)
    if (!upload_id) return
    if (isMine) forget(upload_id)
    setOver((ids) => [...ids, upload_id])
  }
  const way: Underway | null =
    found && told && isUnderWay(told) && told.upload_id !== null
      ? { ...told, file_name: found.file_name, bytes: found.bytes, stage: told.stage, sent: 1, lasts: true }
      : null
  return { way, by: found?.by ?? '', refused: told?.stage === 'refused' ? told : null, error, dismiss }
}
