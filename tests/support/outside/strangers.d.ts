/** Third-party clients of the platforms that have no types. */
declare module 'dingtalk-encrypt' {
  export default class DingTalkEncryptor {
    constructor(token: string, aes_key: string, receiver: string)
    getEncryptedMap(
      plain: string,
      timestamp: string | number,
      nonce: string,
    ): { msg_signature: string; encrypt: string; timeStamp: string; nonce: string }
    getDecryptMsg(signature: string, timestamp: string | number, nonce: string, cipher: string): string
  }
}
declare module 'node-dingtalk' {
  type Answer = Record<string, unknown>
  export default class DingTalk {
    constructor(options: { corpid: string; corpsecret: string; host: string })
    client: { get(api: string, data?: object): Promise<Answer>; post(api: string, data?: object): Promise<Answer> }
    department: { list(): Promise<{ department: { id: number; name: string }[] }> }
    user: {
      get(id: string): Promise<{ userid: string; name: string; mobile: string }>
      list(department: string, simple: boolean): Promise<{ userlist: { userid: string }[] }>
      getUserInfoByCode(code: string): Promise<{ userid: string }>
    }
  }
}
declare module 'wechat-enterprise-api' {
  type Heard = (error: Error | null, answer: Record<string, unknown>) => void
  export default class API {
    constructor(corpid: string, secret: string, agentid: string)
    prefix: string
    getDepartments(heard: Heard): void
    getDepartmentUsers(department: number, fetchChild: number, status: number, heard: Heard): void
    getDepartmentUsersDetail(department: number, fetchChild: number, status: number, heard: Heard): void
    getUser(id: string, heard: Heard): void
    getUserIdByCode(code: string, heard: Heard): void
    send(to: object, message: object, heard: Heard): void
  }
}
