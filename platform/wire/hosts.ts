/** Hosts of the platforms. Fixed here, never from a request or a setting (C11); tests and the demo use a simulator. */
export type PlatformHosts = {
  readonly lark: { readonly api: string; readonly accounts: string; readonly pages: string }
  readonly wecom: { readonly api: string; readonly open: string; readonly login: string; readonly install: string }
  readonly dingtalk: { readonly oapi: string; readonly api: string; readonly login: string }
}

export const vendorHosts: PlatformHosts = {
  lark: { api: 'https://open.feishu.cn', accounts: 'https://accounts.feishu.cn', pages: 'https://accounts.feishu.cn' },
  wecom: {
    api: 'https://qyapi.weixin.qq.com',
    open: 'https://open.weixin.qq.com',
    login: 'https://login.work.weixin.qq.com',
    install: 'https://open.work.weixin.qq.com',
  },
  dingtalk: { oapi: 'https://oapi.dingtalk.com', api: 'https://api.dingtalk.com', login: 'https://login.dingtalk.com' },
}

/** Returns hosts that all point to one simulator: `apiUrl` is called by our server, `pageUrl` is opened by browsers. */
export const getSimulatorHosts = (apiUrl: string, pageUrl: string = apiUrl): PlatformHosts => ({
  lark: { api: `${apiUrl}/lark`, accounts: `${apiUrl}/lark`, pages: `${pageUrl}/lark` },
  wecom: { api: `${apiUrl}/wecom`, open: `${pageUrl}/wecom`, login: `${pageUrl}/wecom`, install: `${pageUrl}/wecom` },
  dingtalk: { oapi: `${apiUrl}/dingtalk`, api: `${apiUrl}/dingtalk`, login: `${pageUrl}/dingtalk` },
})
