/** Where the platforms live. Fixed here: no address of theirs is ever taken from a request or a setting (C11); tests and the demo name a simulator. */
export type Hosts = {
  readonly lark: { readonly api: string; readonly accounts: string; readonly pages: string }
  readonly wecom: { readonly api: string; readonly open: string; readonly login: string; readonly install: string }
  readonly dingtalk: { readonly oapi: string; readonly api: string; readonly login: string }
}

export const vendorHosts: Hosts = {
  lark: { api: 'https://open.feishu.cn', accounts: 'https://accounts.feishu.cn', pages: 'https://accounts.feishu.cn' },
  wecom: {
    api: 'https://qyapi.weixin.qq.com',
    open: 'https://open.weixin.qq.com',
    login: 'https://login.work.weixin.qq.com',
    install: 'https://open.work.weixin.qq.com',
  },
  dingtalk: { oapi: 'https://oapi.dingtalk.com', api: 'https://api.dingtalk.com', login: 'https://login.dingtalk.com' },
}

/** All of them at one simulator: `calls` is what our server asks, `pages` is where a browser is sent. */
export const simulatorHosts = (calls: string, pages: string = calls): Hosts => ({
  lark: { api: `${calls}/lark`, accounts: `${calls}/lark`, pages: `${pages}/lark` },
  wecom: { api: `${calls}/wecom`, open: `${pages}/wecom`, login: `${pages}/wecom`, install: `${pages}/wecom` },
  dingtalk: { oapi: `${calls}/dingtalk`, api: `${calls}/dingtalk`, login: `${pages}/dingtalk` },
})
