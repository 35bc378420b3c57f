/** Clients of the platforms that others wrote and that bring no types. */
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
