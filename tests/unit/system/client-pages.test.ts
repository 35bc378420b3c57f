/** Which file is served for a client address, and which scripts may run in it. */
import { describe, expect, it } from 'vitest'
import { getAllowedScriptHosts, getNameFrameHosts, getPageFile, getScriptHashes } from '../../../server/web/client-pages.ts'

describe('file for an address', () => {
  it.each([
    ['/m/slip/01890000-0000-7000-8000-000000000001', 'm-slip.html'],
    ['/M/Slip/x/', 'm-slip.html'],
    ['/m/slip/x/y', 'app.html'],
    ['/m/slip/', 'app.html'],
    ['/m/slips', 'm-slips.html'],
    ['/m', 'm-slips.html'],
    ['/m/', 'm-slips.html'],
    ['/m/login', 'm-login.html'],
    ['/m/verify', 'pc/page/verify/verify.html'],
    ['/m/me', 'app.html'],
    ['/m/feedback/x', 'app.html'],
    ['/home', 'app.html'],
    ['/', 'app.html'],
    ['/x/m/login', 'app.html'],
  ])('%s', (pathname, file) => expect(getPageFile(pathname)).toBe(file))
})

describe('scripts of a page', () => {
  it('allows inline scripts of a page by their hashes, whatever their kind', () => {
    // Computed manually: printf "alert(1)" | openssl dgst -sha256 -binary | base64
    const alert1 = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    expect(getScriptHashes('<script>alert(1)</script><style>a{}</style><script type="module">alert(1)</script>')).toEqual([
      alert1,
      alert1,
    ])
  })
  it('requires no hash for script files', () =>
    expect(getScriptHashes('<script type="module" src="/a.js"></script>')).toEqual([]))
})

const lark = 'Mozilla/5.0 (iPhone) Mobile/15E148 Lark/7.53.16'
const dingtalk = 'Mozilla/5.0 (Linux; Android 14) Chrome/100.0 AliApp(DingTalk/7.8.1)'
const wecom = 'Mozilla/5.0 (Linux; Android 14) Chrome/116.0 wxwork/4.1.30 MicroMessenger/7.0.1'
const names = ['https://open.work.weixin.qq.com']
it.each([
  ['/m/slip/1', lark, ['https://lf1-cdn-tos.bytegoofy.com']],
  ['/entry', dingtalk, ['https://g.alicdn.com']],
  ['/landing', lark, ['https://lf1-cdn-tos.bytegoofy.com']],
  ['/m/slip/1', wecom, []],
  ['/companyThird', wecom, names],
  ['/companythird/', wecom, names],
  ['/companyThird/x', wecom, []],
  ['/memberlist', wecom, []],
  ['/companyThird', lark, []],
  ['/companyThird', 'Mozilla/5.0 (Linux; Android 14) Chrome/116.0 MicroMessenger/8.0.50', []],
  ['/m/slip/1', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36', []],
  ['/entry', undefined, []],
  ['/wageDetail', lark, []],
  ['/memberlist', dingtalk, []],
])('lets %s in %s load scripts of %j', (pathname, agent, hosts) => expect(getAllowedScriptHosts(pathname, agent)).toEqual(hosts))
it.each([
  ['/companyThird', wecom, names],
  ['/companyThird', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36', []],
  ['/m/slip/1', lark, []],
])('%s in %s may frame %j', (pathname, agent, hosts) => expect(getNameFrameHosts(pathname, agent)).toEqual(hosts))
