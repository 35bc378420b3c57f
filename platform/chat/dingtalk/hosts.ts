export const dingtalkHosts = {
  oapi: 'https://oapi.dingtalk.com',
  api: 'https://api.dingtalk.com',
  login: 'https://login.dingtalk.com',
}
export type DingtalkHosts = Readonly<Record<keyof typeof dingtalkHosts, string>>
export const getDingtalkSimulatorHosts = (apiUrl: string, pageUrl: string): DingtalkHosts => ({
  oapi: `${apiUrl}/dingtalk`,
  api: `${apiUrl}/dingtalk`,
  login: `${pageUrl}/dingtalk`,
})
