/** The library that writes certificates. Import it only when a certificate is needed: it takes memory. */
import 'reflect-metadata';

export * from '@peculiar/x509';
