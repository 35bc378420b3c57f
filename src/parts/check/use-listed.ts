import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { checkWageData } from '../../../server/contract/sheet/sheet.ts'
import { query } from '../../api.ts'
import { type Kind, searchIn } from './problem-fixes.ts'

/**
 * The problems of a kind: those that came with the check, which are as many as the list shows at once. Only whoever wants more of them, or looks
 * for one of very many, asks again: each page is a check of the whole sheet.
 */
export function useListed(
  batch_id: string,
  checked: OutputOf<typeof checkWageData>,
  chosen: Kind | undefined,
  find: string | undefined,
) {
  const first = useMemo(
    () => checked.problems.filter((one) => one.kind === chosen?.kind && one.level === chosen.level),
    [checked.problems, chosen],
  )
  const isWhole = !chosen || first.length === chosen.count
  const about = `${chosen?.kind}:${chosen?.level}:${find ?? ''}`
  const [wanted, setWanted] = useState({ about, pages: 0 })
  const least = find || first.length === 0 ? 1 : 0
  const pages = Math.max(least, wanted.about === about ? wanted.pages : 0)
  const asked = useQueries({
    queries:
      chosen && !isWhole
        ? Array.from({ length: pages }, (_, at) =>
            query(checkWageData, { batch_id, kind: chosen.kind, level: chosen.level, ...(find ? { find } : {}), page: at + 1 }),
          )
        : [],
    combine: (answers) => ({
      list: answers.flatMap(({ data }) => data?.problems ?? []),
      total: answers[0]?.data?.problems_total ?? null,
      isPending: answers.some(({ isPending }) => isPending),
    }),
  })
  if (isWhole) return { listed: first, found: searchIn(first, find), total: first.length, busy: false, more: () => undefined }
  // What came with the check, until the first page is there.
  const listed = asked.total === null ? first : asked.list
  return {
    listed,
    // The server has looked through all of them.
    found: asked.total === null ? searchIn(first, find) : listed,
    total: asked.total ?? chosen.count,
    busy: asked.isPending,
    more: () => setWanted({ about, pages: pages + 1 }),
  }
}
