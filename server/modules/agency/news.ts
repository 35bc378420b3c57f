/** News about the product, the law and payroll practice, newest first. */

import * as contract from '../../contract/agency/agency.ts'
import type { Tx } from '../../database/database.ts'
import { defineHandler, fail } from '../../http/handler.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { listPublishedNews } from '../operator/index.ts'
import { type Article, articles } from './articles.ts'

/** Lists the articles published by the operator together with those shipped with the code. */
async function listArticles(db: Tx): Promise<Article[]> {
  const published = (await listPublishedNews(db)).map(
    ({ published_at, ...one }): Article => ({ ...one, at: toShanghaiDate(published_at) }),
  )
  return [...published, ...articles].toSorted((one, other) => other.at.localeCompare(one.at))
}

export const getNewsList = defineHandler(contract.getNewsList, async ({ db }, { kind, page, pagesize }) => {
  const matches = (await listArticles(db)).filter((article) => !kind || article.kind === kind)
  const pageItems = matches.slice((page - 1) * pagesize, page * pagesize)
  return {
    list: pageItems.map((article) => ({
      id: article.id,
      kind: article.kind,
      title: article.title,
      summary: article.summary,
      at: article.at,
    })),
    page: { page, pagesize, total: matches.length },
  }
})

export const getNewsDetail = defineHandler(contract.getNewsDetail, async ({ db }, { id }) => {
  const article = (await listArticles(db)).find((one) => one.id === id)
  if (!article) throw fail('not_found', '没有找到这条资讯，可能已经下线')
  const { kind, title, at, paragraphs } = article
  return { id, kind, title, at, paragraphs }
})
