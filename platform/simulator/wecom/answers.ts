/** How WeCom answers: HTTP 200 whatever comes, `errcode` decides, and a trace in every refusal (platform/wecom.md). */
import { type AskedCall, jsonReply, type Registered, type Reply, type SimulatedCall, type State } from '../state.ts'

const trace =
  ', hint: [1635043469_160_1ea1b1d99cd2c82ebf782c0c06a61af4], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query?e='

export const ok = (more: object = {}): Reply => jsonReply(200, { errcode: 0, errmsg: 'ok', ...more })
export const refuse = (errcode: string | number, errmsg: string): Reply =>
  jsonReply(200, { errcode, errmsg: `${errmsg}${trace}${errcode}` })

/** Broken JSON that could be read all the same. */
export const warned = (reply: Reply): Reply => ({
  ...reply,
  body: reply.body.replace('"errmsg":"ok"', '"errmsg":"ok. Warning: wrong json format. "'),
})

const base = [
  { count: 10_000, per_ms: 60_000 },
  { count: 150_000, per_ms: 3_600_000 },
]

/** A call with an application's token. Messages are not counted among the calls. */
export const withApp =
  (state: State, work: (asked: AskedCall, app: Registered) => Reply, { counted = true } = {}): SimulatedCall =>
  (asked) => {
    const token = asked.query.get('access_token')
    if (!token) return refuse(41001, 'access_token missing')
    const holder = state.holder(token, 'at')
    if (holder?.app.provider !== 'wecom')
      return state.isOver(token) ? refuse(42001, 'access_token expired') : refuse(40014, 'invalid access_token')
    const { app } = holder
    if (app.distrusted) return refuse(60020, 'not allow to access from your ip')
    if (app.stopped) return refuse(50003, 'app is disabled')
    if (counted && state.limits.take(`wecom ${app.corp_id} ${asked.path}`, base) !== null)
      return refuse(45009, 'reach max api minute frequence limit')
    return work(asked, app)
  }
