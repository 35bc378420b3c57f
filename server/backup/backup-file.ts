/**
 * The format of backup files. A file is a clear header and a sequence of encrypted frames:
 *
 * header: the 8 bytes `XHBACKUP`, one byte format version, 16 bytes salt.
 * frame: 4 bytes length of the ciphertext (big endian), ciphertext, 16 bytes tag; AES-256-GCM.
 *
 * The key derives from the master key and the salt. The nonce is the number of the frame, and the additional data states
 * whether it is the last one: frames cannot be reordered, and a file that was cut off does not pass as complete. Inside
 * the frames is gzip, and inside that the text that `backup-text.ts` describes.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { pipeline, Transform, type Writable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type { MasterKeys } from '../crypto/master-key.ts'

const magic = Buffer.from('XHBACKUP')
const formatVersion = 1
const headerBytes = magic.length + 1 + 16
const frameBytes = 256 * 1024
const tagBytes = 16

/** The file is no backup, is damaged, or was written with another master key. */
export class BackupFileError extends Error {
  override name = 'BackupFileError'
}

const deriveKey = (masterKey: Buffer, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, salt, 'xinhan backup', 32))

const getNonce = (index: number): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(index), 4)
  return nonce
}
const getFrameData = (isLast: boolean): Buffer => Buffer.from([formatVersion, isLast ? 1 : 0])

function encryptFrame(key: Buffer, index: number, plain: Buffer, isLast: boolean): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, getNonce(index)).setAAD(getFrameData(isLast))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(plain.length)
  return Buffer.concat([length, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Returns null if the frame does not authenticate with any of the keys. */
function decryptFrame(keys: readonly Buffer[], index: number, frame: Buffer, isLast: boolean): Buffer | null {
  for (const key of keys) {
    const decipher = createDecipheriv('aes-256-gcm', key, getNonce(index)).setAAD(getFrameData(isLast))
    decipher.setAuthTag(frame.subarray(-tagBytes))
    try {
      return Buffer.concat([decipher.update(frame.subarray(0, -tagBytes)), decipher.final()])
    } catch {
      // Written with another key, or changed.
    }
  }
  return null
}

function createEncryption(masterKey: Buffer): Transform {
  const salt = randomBytes(16)
  const key = deriveKey(masterKey, salt)
  let waiting = Buffer.alloc(0)
  let index = 0
  return new Transform({
    construct(done) {
      this.push(Buffer.concat([magic, Buffer.from([formatVersion]), salt]))
      done()
    },
    transform(chunk: Buffer, _, done) {
      waiting = Buffer.concat([waiting, chunk])
      while (waiting.length > frameBytes) {
        this.push(encryptFrame(key, index++, waiting.subarray(0, frameBytes), false))
        waiting = waiting.subarray(frameBytes)
      }
      done()
    },
    flush(done) {
      this.push(encryptFrame(key, index, waiting, true))
      done()
    },
  })
}

function createDecryption(masters: MasterKeys): Transform {
  let keys: readonly Buffer[] | null = null
  let waiting = Buffer.alloc(0)
  let index = 0
  const readHeader = (): void => {
    if (keys || waiting.length < headerBytes) return
    if (!waiting.subarray(0, magic.length).equals(magic)) throw new BackupFileError('这不是薪函的备份文件')
    const version = waiting[magic.length]
    if (version !== formatVersion)
      throw new BackupFileError(`这个备份文件是格式 ${version}，本程序只认识格式 ${formatVersion}：请用更新的版本`)
    const salt = Buffer.from(waiting.subarray(magic.length + 1, headerBytes))
    keys = masters.map((master) => deriveKey(master, salt))
    waiting = waiting.subarray(headerBytes)
  }
  /** A frame is read once the next one has begun, because only the last one may be marked as the last. */
  const readFrame = (isLast: boolean): Buffer => {
    const length = keys && waiting.length >= 4 ? waiting.readUInt32BE(0) : -1
    const frame = waiting.subarray(4, 4 + length + tagBytes)
    if (!keys || length < 0 || length > frameBytes || frame.length < length + tagBytes)
      throw new BackupFileError('备份文件不完整：文件被截断了')
    const plain = decryptFrame(keys, index, frame, isLast)
    if (!plain)
      throw new BackupFileError(
        index === 0 ? '打不开备份文件：它是用另一把主密钥写的，或者已经损坏' : `备份文件已损坏（第 ${index + 1} 块）或不完整`,
      )
    waiting = waiting.subarray(4 + length + tagBytes)
    index += 1
    return plain
  }
  return new Transform({
    transform(chunk: Buffer, _, done) {
      waiting = Buffer.concat([waiting, chunk])
      try {
        readHeader()
        if (keys)
          while (waiting.length >= 4 && waiting.length > 4 + waiting.readUInt32BE(0) + tagBytes) this.push(readFrame(false))
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done) {
      try {
        if (!keys) throw new BackupFileError('这不是薪函的备份文件')
        this.push(readFrame(true))
        if (waiting.length > 0) throw new BackupFileError('备份文件的末尾有多余的内容')
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
}

/** Returns a stream: what is written to it arrives at `target` compressed and encrypted. `done` settles with the target. */
export function writeBackupFile(masterKey: Buffer, target: Writable): { readonly input: Writable; readonly done: Promise<void> } {
  const gzip = createGzip({ level: 6 })
  const done = new Promise<void>((resolve, reject) =>
    pipeline(gzip, createEncryption(masterKey), target, (error) => (error ? reject(error) : resolve())),
  )
  return { input: gzip, done }
}

/** Returns the decrypted text of a backup file as chunks. */
export function readBackupFile(masters: MasterKeys, source: NodeJS.ReadableStream): AsyncIterable<Buffer> {
  return pipeline(source, createDecryption(masters), createGunzip(), () => undefined)
}
