package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const validFor = 365 * 24 * time.Hour
const clockSkew = time.Hour

type planned struct {
	Name         string   `json:"name"`
	CommonName   string   `json:"commonName"`
	Organisation []string `json:"organisation"`
	Hosts        []string `json:"hosts"`
}

// certificates writes ca.crt, ca.key, sa.key, sa.pub and <name>.crt, <name>.key for each entry of the plan.
func certificates(folder, planFile string) error {
	text, err := os.ReadFile(planFile)
	if err != nil {
		return err
	}
	var plan []planned
	if err := json.Unmarshal(text, &plan); err != nil {
		return fmt.Errorf("%s: %w", planFile, err)
	}
	authority, authorityKey, err := newAuthority(folder)
	if err != nil {
		return err
	}
	if err := newSigningKey(folder); err != nil {
		return err
	}
	for _, entry := range plan {
		if err := issue(folder, entry, authority, authorityKey); err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
	}
	return nil
}

func newAuthority(folder string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := newKey(filepath.Join(folder, "ca.key"))
	if err != nil {
		return nil, nil, err
	}
	template, err := newTemplate(pkix.Name{CommonName: "holdfast test cluster"})
	if err != nil {
		return nil, nil, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	if err := writePem(filepath.Join(folder, "ca.crt"), "CERTIFICATE", der, 0o644); err != nil {
		return nil, nil, err
	}
	authority, err := x509.ParseCertificate(der)
	return authority, key, err
}

// newSigningKey makes the key that service account tokens are signed with.
func newSigningKey(folder string) error {
	key, err := newKey(filepath.Join(folder, "sa.key"))
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	return writePem(filepath.Join(folder, "sa.pub"), "PUBLIC KEY", der, 0o644)
}

func issue(folder string, entry planned, authority *x509.Certificate, authorityKey *ecdsa.PrivateKey) error {
	key, err := newKey(filepath.Join(folder, entry.Name+".key"))
	if err != nil {
		return err
	}
	template, err := newTemplate(pkix.Name{CommonName: entry.CommonName, Organization: entry.Organisation})
	if err != nil {
		return err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	for _, host := range entry.Hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return err
	}
	return writePem(filepath.Join(folder, entry.Name+".crt"), "CERTIFICATE", der, 0o644)
}

func newTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-clockSkew),
		NotAfter:     now.Add(validFor),
	}, nil
}

func newKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePem(file, "EC PRIVATE KEY", der, 0o600)
}

func writePem(file, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
