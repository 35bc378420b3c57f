/**
 * Buttons of Lark cards that call back: clicked, answered in time, updated later within half an hour and at most twice;
 * and the product's responses to them.
 */
import { createServer, type Server } from 'node:http'
import { EventDispatcher } from '@larksuiteoapi/node-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { larkCallbacks } from '../../platform/chat/lark/callbacks.ts'
import type { CallbackOutcome } from '../../platform/types.ts'
import { chatCompany } from '../support/outside/chat-company.ts'
import { usePaths } from '../support/outside/paths.ts'

const { world, request } = usePaths()
const keys = { token: 'rvaYgkND1GOiu5MM', aes_key: 'wage-sim-lark-key-2026' }
const button = { tag: 'button', text: { tag: 'plain_text', content: '知道了' }, value: { did: 'seen' } }
const card = (title: string, more: object = {}, shared = true) => ({
  config: { update_multi: shared },
  header: { title: { tag: 'plain_text', content: title } },
  elements: [{ tag: 'action', actions: [button] }],
  ...more,
})

let server: Server
let url = ''
const ours = { reply: { status: 200, body: '{}' }, wait_ms: 0, heard: [] as { body: Buffer; headers: Record<string, string> }[] }
beforeAll(async () => {
  server = createServer((request, response) => {
    const sections: Buffer[] = []
    request.on('data', (part: Buffer) => sections.push(part))
    request.on('end', () => {
      ours.heard.push({ body: Buffer.concat(sections), headers: request.headers as Record<string, string> })
      setTimeout(
        () => response.writeHead(ours.reply.status, { 'content-type': 'application/json' }).end(ours.reply.body),
        ours.wait_ms,
      )
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const bound = server.address()
  url = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/hook`
})
afterAll(() => new Promise((done) => server.close(done)))

/** Sends a card of this application to a chat, and returns a client that calls as the application. */
async function sent(content: object) {
  Object.assign(ours, { reply: { status: 200, body: '{}' }, wait_ms: 0, heard: [] })
  const { app, both } = chatCompany(world.simulator, 'lark', { app: { callback: { url, ...keys } } })
  const provided = await request('lark', {
    post: '/open-apis/auth/v3/tenant_access_token/internal',
    json: { app_id: app.app_id, app_secret: app.secret },
  })
  const bearer = { authorization: `Bearer ${provided.body.tenant_access_token}` }
  const json = { receive_id: both.user_id, msg_type: 'interactive', content: JSON.stringify(content) }
  await request('lark', { post: '/open-apis/im/v1/messages?receive_id_type=open_id', json }, bearer)
  const message = world.simulator.messages().findLast((one) => one.app === app)
  if (!message) throw new Error('nothing was sent')
  // Events about users and departments are not clicks.
  await world.simulator.callbackSender.waitForDeliveries()
  ours.heard.length = 0
  const update = async (token: string, retry: object) =>
    (await request('lark', { post: '/open-apis/interactive/v1/card/update', json: { token, card: retry } }, bearer)).body
  return { app, both, message, update }
}

describe('interactive/v1/card/update', () => {
  it('updates the card twice after the click was answered, and not a third time', async () => {
    const { message, update } = await sent(card('请确认'))
    const { answered, token } = await world.simulator.pressButton(message)
    expect([answered, token]).toEqual([true, expect.stringMatching(/^c-/)])
    expect(await update(token, card('已收到'))).toMatchObject({ code: 0 })
    expect(message.card.title).toBe('已收到')
    expect(await update(token, card('第二次'))).toMatchObject({ code: 0 })
    expect((await update(token, card('第三次'))).code).not.toBe(0)
    expect(message.card.title).toBe('第二次')
  })
  it('rejects an update before the answer, after a late answer or one with another status', async () => {
    const { message, update } = await sent(card('请确认'))
    ours.wait_ms = 300
    const late = await world.simulator.pressButton(message, 60)
    expect(late.answered).toBe(false)
    expect((await update(late.token, card('太早'))).code).not.toBe(0)
    Object.assign(ours, { wait_ms: 0, reply: { status: 500, body: '' } })
    const refused = await world.simulator.pressButton(message)
    expect([refused.answered, (await update(refused.token, card('太早'))).code === 0]).toEqual([false, false])
    expect(message.card.title).toBe('请确认')
  })
  it('accepts the token for half an hour, only for the application that sent the card', async () => {
    const { message, update } = await sent(card('请确认'))
    const { token } = await world.simulator.pressButton(message)
    const other = await sent(card('别家'))
    expect((await other.update(token, card('不是我的'))).code).not.toBe(0)
    expect((await update('c-wrong', card('没有'))).code).not.toBe(0)
    world.clock.now += 1_799_000
    expect((await update(token, card('二十九分'))).code).toBe(0)
    world.clock.now += 1_001
    expect((await update(token, card('三十分'))).code).not.toBe(0)
  })
  it('updates a shared card for the named users, rejects too large cards, and accepts a card in the answer', async () => {
    const { message, update, both } = await sent(card('请确认', {}, false))
    const { token } = await world.simulator.pressButton(message)
    expect((await update(token, card('没有写给谁', {}, false))).code).toBe(300090)
    expect((await update(token, card('写给他', { open_ids: [both.user_id] }, false))).code).toBe(0)
    expect((await update(token, { ...card('大', { open_ids: [both.user_id] }, false), more: 'x'.repeat(31_000) })).code).toBe(
      230025,
    )
    ours.reply.body = JSON.stringify({ toast: { type: 'success', content: '好' }, card: { type: 'raw', data: card('当场') } })
    await world.simulator.pressButton(message)
    expect(message.card.title).toBe('当场')
  })
})

describe('callback of a click', () => {
  it("the SDK reads user, card, the button's value and the token of a click", async () => {
    const { app, both, message } = await sent(card('请确认'))
    const { token } = await world.simulator.pressButton(message)
    const [notified] = ours.heard
    const heard: unknown[] = []
    const silent = { error() {}, warn() {}, info() {}, debug() {}, trace() {} }
    const dispatcher = new EventDispatcher({ encryptKey: keys.aes_key, verificationToken: keys.token, logger: silent }).register({
      'card.action.trigger': (data: unknown) => void heard.push(data),
    })
    await dispatcher.invoke(
      Object.assign(Object.create({ headers: notified?.headers }), JSON.parse(notified?.body.toString() ?? '{}')),
    )
    expect(heard).toMatchObject([
      {
        token,
        tenant_key: app.corp_id,
        operator: { open_id: both.user_id },
        action: { tag: 'button', value: { did: 'seen' } },
        context: { open_message_id: message.id },
      },
    ])
  })
  it("answers a click with {} at once and ignores it, because the product's cards have no such button", async () => {
    const { app, message } = await sent(card('请确认'))
    await world.simulator.pressButton(message)
    const [notified] = ours.heard
    const outcome: CallbackOutcome = larkCallbacks.receive(
      { ...keys, receivers: [app.app_id], corp_id: app.corp_id },
      { method: 'POST', query: {}, headers: notified?.headers ?? {}, body: notified?.body ?? Buffer.alloc(0) },
      new Date(world.clock.now),
    )
    expect(outcome).toMatchObject({
      result: 'event',
      event: { update: { kind: 'other', name: 'card.action.trigger' } },
      reply: { status: 200, body: '{}' },
    })
    const own = chatCompany(world.simulator, 'lark')
    const link = 'https://pay.example.cn/s/1'
    const text = `【薪函】示例科技：标题一句，正文一句：${link}`
    await world.platforms.lark.carrier.send(own.app, [
      { id: 'm1', to: own.both.user_id, kind: 'slip', text, variables: [], link, name: '张*' },
    ])
    const ourCard = world.simulator.messages().findLast((one) => one.app === own.app)
    expect(ourCard?.card.link).toBe(link)
    await expect(world.simulator.pressButton(ourCard as NonNullable<typeof ourCard>)).rejects.toThrow('no button that calls back')
  })
})
