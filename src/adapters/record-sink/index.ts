export { createFolderSink, type FolderSinkOptions } from './folder.ts'
export { createS3Sink, type S3Credentials, type S3SinkOptions } from './s3.ts'
