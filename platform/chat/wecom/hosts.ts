export const wecomHosts = {
  api: 'https://qyapi.weixin.qq.com',
  open: 'https://open.weixin.qq.com',
  login: 'https://login.work.weixin.qq.com',
  install: 'https://open.work.weixin.qq.com',
}
export type WecomHosts = Readonly<Record<keyof typeof wecomHosts, string>>
export const getWecomSimulatorHosts = (apiUrl: string, pageUrl: string): WecomHosts => ({
  api: `${apiUrl}/wecom`,
  open: `${pageUrl}/wecom`,
  login: `${pageUrl}/wecom`,
  install: `${pageUrl}/wecom`,
})
