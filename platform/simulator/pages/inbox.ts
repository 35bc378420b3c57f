/** A person's chat as a page: the cards that the application sent him, drawn; a tap opens where they lead. */
import type { Provider } from '../../types.ts'
import type { SentMessage } from '../inbox.ts'
import type { Reply, State } from '../state.ts'
import { escape, html, titles } from './sign-in.ts'

const hours = (at: number): string => new Date(at + 28_800_000).toISOString().slice(5, 16).replace('T', ' ')

function card(message: SentMessage, at: number): string {
  const { id, to, card: drawn, recalled, read_at } = message
  if (recalled) return `<article class="gone"><p>薪函撤回了一条消息</p><small>${hours(message.at)}</small></article>`
  const marks = [drawn.state ?? '', read_at === null ? '未读' : '已读'].filter(Boolean).join(' · ')
  const lines = drawn.lines.map((line) => `<p>${escape(line)}</p>`).join('')
  const go = `open?${new URLSearchParams({ id, to, at: String(at) })}`
  const button = drawn.link ? `<a class="go" href="${escape(go)}">${escape(drawn.button || '查看')}</a>` : ''
  return `<article><span class="mark">${escape(marks)}</span><h2>${escape(drawn.title)}</h2>${lines}<small>${hours(message.at)} 薪函</small>${button}</article>`
}

function chats(state: State, provider: Provider): Reply {
  const companies = state.companies().filter((one) => one.provider === provider)
  const lists = companies.map((company) => {
    const items = [...company.people.values()].slice(0, 200).map((person) => {
      const count = state.inbox
        .seenBy(company.corp_id, person.user_id)
        .filter((one) => one.read_at === null && !one.recalled).length
      const go = `inbox?${new URLSearchParams({ corp: company.corp_id, user: person.user_id })}`
      return `<li><a href="${escape(go)}">${escape(person.name)}<small>${escape(person.about ?? person.user_id)}${count > 0 ? ` · ${count} 条未读` : ''}</small></a>`
    })
    return `<h2>${escape(company.name)}</h2><ul>${items.join('')}</ul>`
  })
  return html(
    200,
    `<h1>模拟的${titles[provider]}</h1><p>选择一个人，看看 TA 收到了什么。</p>${lists.join('') || '<p>这里还没有人。</p>'}`,
    titles[provider],
  )
}

/** `/_/inbox`: whose chat; with a person: his cards; `/_/open`: a tap on one, which is read then. */
export function inboxPage(state: State, path: string, query: URLSearchParams, provider: Provider): Reply {
  if (path === '/_/open') {
    const message = state.inbox.of(query.get('id')).find((one) => one.to === query.get('to'))
    if (!message?.card.link || message.recalled || message.dropped !== null) return html(404, '<h1>这条消息已不在了</h1>')
    state.inbox.read(message)
    return { status: 302, headers: { location: message.card.link }, body: '' }
  }
  if (path !== '/_/inbox') return html(404, '<h1>没有这个页面</h1>')
  const [corp, user] = [query.get('corp'), query.get('user')]
  const person = corp === null ? undefined : state.company(provider, corp).person(user)
  if (corp === null || !person) return chats(state, provider)
  const cards = state.inbox.seenBy(corp, person.user_id).map((message, at) => card(message, at))
  return html(
    200,
    `<a class="no" href="inbox">返回</a><h1>${escape(person.name)}</h1><p>${titles[provider]}里，应用「薪函」发来的消息</p>${cards.join('') || '<p>还没有收到消息。</p>'}`,
    titles[provider],
  )
}
