export const larkHosts = {
  api: 'https://open.feishu.cn',
  accounts: 'https://accounts.feishu.cn',
  pages: 'https://accounts.feishu.cn',
}
export type LarkHosts = Readonly<Record<keyof typeof larkHosts, string>>
export const getLarkSimulatorHosts = (apiUrl: string, pageUrl: string): LarkHosts => ({
  api: `${apiUrl}/lark`,
  accounts: `${apiUrl}/lark`,
  pages: `${pageUrl}/lark`,
})
