/** News: product, law and practice, the newest first. */
import * as contract from '../../contract/corp/agency.ts'
import { handle, refuse } from '../../runtime/handle.ts'
import { articles } from './articles.ts'

const newest = articles.toSorted((one, other) => other.at.localeCompare(one.at))

export const getNewsList = handle(contract.getNewsList, async (_ctx, { kind, page, pagesize }) => {
  const found = newest.filter((article) => !kind || article.kind === kind)
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

export const getNewsDetail = handle(contract.getNewsDetail, async (_ctx, { id }) => {
  const article = articles.find((one) => one.id === id)
  if (!article) throw refuse('not_found', '没有找到这条资讯，可能已经下线')
  const { kind, title, at, paragraphs } = article
  return { id, kind, title, at, paragraphs }
})
