/** A user's chat as a page: shows the cards that the application sent; clicking one opens its link. */
import { chatProviders } from '../../chat/providers.ts'
import type { Provider } from '../../types.ts'
import type { SimulatedMessage } from '../inbox.ts'
import type { Reply, SimulatorState } from '../state.ts'
import { escapeHtml, replyHtml } from './sign-in.ts'

const formatTime = (at: number): string => new Date(at + 28_800_000).toISOString().slice(5, 16).replace('T', ' ')

function renderCard(message: SimulatedMessage, at: number): string {
  const { id, to, card: rendered, isRecalled, read_at } = message
  if (isRecalled) return `<article class="gone"><p>薪函撤回了一条消息</p><small>${formatTime(message.at)}</small></article>`
  const statusLine = [rendered.statusText ?? '', read_at === null ? '未读' : '已读'].filter(Boolean).join(' · ')
  const lines = rendered.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')
  const openUrl = `open?${new URLSearchParams({ id, to, at: String(at) })}`
  const button = rendered.link ? `<a class="go" href="${escapeHtml(openUrl)}">${escapeHtml(rendered.button || '查看')}</a>` : ''
  return `<article><span class="mark">${escapeHtml(statusLine)}</span><h2>${escapeHtml(rendered.title)}</h2>${lines}<small>${formatTime(message.at)} 薪函</small>${button}</article>`
}

function renderChatList(state: SimulatorState, provider: Provider): Reply {
  const companies = state.listCompanies().filter((one) => one.provider === provider)
  const lists = companies.map((company) => {
    const items = [...company.users.values()].slice(0, 200).map((user) => {
      const count = state.inbox
        .listVisibleTo(company.corp_id, user.user_id)
        .filter((one) => one.read_at === null && !one.isRecalled).length
      const chatUrl = `inbox?${new URLSearchParams({ corp: company.corp_id, user: user.user_id })}`
      return `<li><a href="${escapeHtml(chatUrl)}">${escapeHtml(user.name || user.user_id)}<small>${escapeHtml(user.description ?? user.user_id)}${count > 0 ? ` · ${count} 条未读` : ''}</small></a>`
    })
    return `<h2>${escapeHtml(company.name)}</h2><ul>${items.join('')}</ul>`
  })
  return replyHtml(
    200,
    `<h1>模拟的${chatProviders[provider].label}</h1><p>选择一个人，看看 TA 收到了什么。</p>${lists.join('') || '<p>这里还没有人。</p>'}`,
    chatProviders[provider].label,
  )
}

/** `/_/inbox` lists the users, or with a user their cards; `/_/open` opens a card and marks it as read. */
export function renderInboxPage(state: SimulatorState, path: string, query: URLSearchParams, provider: Provider): Reply {
  if (path === '/_/open') {
    const message = state.inbox.getById(query.get('id')).find((one) => one.to === query.get('to'))
    if (!message?.card.link || message.isRecalled || message.dropReason !== null)
      return replyHtml(404, '<h1>这条消息已不在了</h1>')
    state.inbox.markRead(message)
    return { status: 302, headers: { location: message.card.link }, body: '' }
  }
  if (path !== '/_/inbox') return replyHtml(404, '<h1>没有这个页面</h1>')
  const [corp, userId] = [query.get('corp'), query.get('user')]
  const user = corp === null ? undefined : state.findOrCreateCompany(provider, corp).findUser(userId)
  if (corp === null || !user) return renderChatList(state, provider)
  const cards = state.inbox.listVisibleTo(corp, user.user_id).map((message, at) => renderCard(message, at))
  return replyHtml(
    200,
    `<a class="no" href="inbox">返回</a><h1>${escapeHtml(user.name || user.user_id)}</h1><p>${chatProviders[provider].label}里，应用「薪函」发来的消息</p>${cards.join('') || '<p>还没有收到消息。</p>'}`,
    chatProviders[provider].label,
  )
}
