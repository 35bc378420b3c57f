/** Demo only: shows the messages that would have been sent. */
import type { FastifyInstance } from 'fastify'
import { channels } from '../../contract/shared/enums.ts'
import { channelLabels } from '../../contract/shared/statuses.ts'
import type { Database } from '../../database/database.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { escapeHtml, renderPage } from '../../web/html-page.ts'

const getChannelLabel = (channel: string): string => channelLabels[channels.find((one) => one === channel) ?? 'sms']

const listRecentMessages = (database: Database, mobile: string) =>
  database.withoutCompany((tx) =>
    tx
      .selectFrom('outbox')
      .select(['channel', 'mobile', 'name', 'text', 'link', 'at', 'delivery_id'])
      .$if(mobile !== '', (query) => query.where('mobile', '=', mobile))
      .orderBy('at', 'desc')
      .limit(200)
      .execute(),
  )

/** Removes the origin, under which the demo may not be reachable. The code of an invite is in the query string. */
const toLocalPath = (link: string): string => {
  const { pathname, search } = new URL(link, 'http://x')
  return pathname + search
}

export function registerDemoOutboxPages(app: FastifyInstance, database: Database): void {
  app.get<{ Querystring: { mobile?: string } }>('/dev/outbox.json', async (request) => ({
    list: await listRecentMessages(database, String(request.query.mobile ?? '')),
  }))
  app.get<{ Querystring: { mobile?: string } }>('/dev/outbox', async (request, reply) => {
    const rows = await listRecentMessages(database, String(request.query.mobile ?? ''))
    const lines = rows.map(
      (row) =>
        `<tr><td>${toIsoTimestamp(row.at).slice(0, 19).replace('T', ' ')}<td>${getChannelLabel(row.channel)}<td>${escapeHtml(row.mobile || row.name)}<td>${escapeHtml(row.text)}${
          row.link ? ` <a href="${escapeHtml(toLocalPath(row.link))}">打开</a>` : ''
        }`,
    )
    const body = `<h1>发件箱</h1><p>演示模式：短信、办公平台消息和邮件不会真正发出，都记录在这里（最新 200 条）。已绑定办公平台的企业，消息在<a href="/dev/platform/lark/_/inbox">模拟的飞书</a>、<a href="/dev/platform/wecom/_/inbox">企业微信</a>或<a href="/dev/platform/dingtalk/_/inbox">钉钉</a>里，点开卡片就以这位员工登录。</p>${
      rows.length > 0
        ? `<table><tr><th>时间<th>渠道<th>收件人<th>内容${lines.join('')}</table>`
        : '<p>还没有消息。发送一批工资条或获取一次验证码后再来看看。</p>'
    }`
    return reply.type('text/html; charset=utf-8').send(renderPage('发件箱 · 薪函演示', body))
  })
}
