/** News: product, law and practice, the newest first. */
import * as contract from '../../contract/corp/agency.ts'
import { dayOf } from '../../runtime/clock.ts'
import type { Tx } from '../../runtime/db.ts'
import { handle, refuse } from '../../runtime/handle.ts'
import { newsTold } from '../company/index.ts'
import { type Article, articles } from './articles.ts'

/** What whoever runs the server has published, and what comes with the code. */
async function allNews(db: Tx): Promise<Article[]> {
  const told = (await newsTold(db)).map(({ published_at, ...one }): Article => ({ ...one, at: dayOf(published_at) }))
  return [...told, ...articles].toSorted((one, other) => other.at.localeCompare(one.at))
}

export const getNewsList = handle(contract.getNewsList, async ({ db }, { kind, page, pagesize }) => {
  const found = (await allNews(db)).filter((article) => !kind || article.kind === kind)
  const shown = found.slice((page - 1) * pagesize, page * pagesize)
  return {
    list: shown.map((article) => ({
      id: article.id,
      kind: article.kind,
      title: article.title,
      summary: article.summary,
      at: article.at,
    })),
    page: { page, pagesize, total: found.length },
  }
})

export const getNewsDetail = handle(contract.getNewsDetail, async ({ db }, { id }) => {
  const article = (await allNews(db)).find((one) => one.id === id)
  if (!article) throw refuse('not_found', '没有找到这条资讯，可能已经下线')
  const { kind, title, at, paragraphs } = article
  return { id, kind, title, at, paragraphs }
})
