/** News published by the operator, as companies read them. */
import type { NewsKind } from '../../contract/agency/agency.ts'
import type { Tx } from '../../database/database.ts'

export const parseNewsKind = (kind: string): NewsKind => (kind === 'agency' ? 'agency' : 'strategic')

export type PublishedNews = {
  readonly id: string
  readonly kind: NewsKind
  readonly title: string
  readonly summary: string
  readonly paragraphs: string[]
  readonly published_at: Date
}
/** Lists the published news, newest first; there are few, and they are written manually. */
export async function listPublishedNews(db: Tx): Promise<PublishedNews[]> {
  const rows = await db
    .selectFrom('announcement')
    .select(['id', 'kind', 'title', 'summary', 'paragraphs', 'published_at'])
    .where('withdrawn_at', 'is', null)
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(500)
    .execute()
  return rows.map(({ kind, ...row }) => ({ ...row, kind: parseNewsKind(kind) }))
}
